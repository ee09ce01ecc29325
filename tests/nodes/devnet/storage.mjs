// Prints the storage of the contracts of a chain, a line for each contract that has any: its slots
// with their words after each block that changed them: storage.mjs URL > storage.jsonl. With
// tests/nodes/run devnet it is that of the demo's chain.
import { ask, node } from "../rpc.mjs";

const url = process.argv[2];
const call = node(url);
const tracer = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
const word = (hex) => `0x${BigInt(hex ?? 0).toString(16)}`;

/** Words of slots after the last of some transactions: address, slot, word. */
function* written({ pre, post }) {
    for (const address of new Set([...Object.keys(pre), ...Object.keys(post)])) {
        const [before, after] = [pre, post].map((state) => state[address]?.storage ?? {});
        for (const slot of new Set([...Object.keys(before), ...Object.keys(after)]))
            yield [address, word(slot), word(after[slot])];
    }
}

const contracts = new Map();
const head = Number(await call("eth_blockNumber"));
for (let block = 0; block <= head; block++) {
    const { transactions } = await call("eth_getBlockByNumber", word(block), false);
    const questions = transactions.map((hash) => ({
        method: "debug_traceTransaction",
        params: [hash, tracer],
    }));
    const answers = questions.length ? await ask(url, questions) : [];
    for (const { result } of answers)
        for (const [address, slot, after] of written(result)) {
            if (!contracts.has(address)) contracts.set(address, new Map());
            const slots = contracts.get(address);
            if (!slots.has(slot)) slots.set(slot, new Map());
            slots.get(slot).set(block, after);
        }
}
const sorted = (map) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
for (const [address, slots] of sorted(contracts)) {
    const words = sorted(slots).map(([slot, words]) => [slot, [...words]]);
    console.log(JSON.stringify({ address, slots: Object.fromEntries(words) }));
}
