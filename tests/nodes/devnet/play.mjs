// Mines the demo's chain on an anvil again: play.mjs URL. As every block gets the hash it had, all
// in it is the same. tests/nodes/run has the options that the anvil needs.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ask, node } from "../rpc.mjs";

const url = process.argv[2];
const call = node(url);
const chain = gunzipSync(readFileSync(new URL("../../data/node/devnet.jsonl.gz", import.meta.url)));

/** What fills a block, in the order in which the node must do it. */
const steps = (block) => [
    { method: "evm_setBlockGasLimit", params: [block.gasLimit] },
    { method: "anvil_setNextBlockBaseFeePerGas", params: [block.baseFeePerGas] },
    { method: "evm_setNextBlockTimestamp", params: [block.timestamp] },
    ...block.transactions.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })),
];

async function mine(block) {
    const refused = (await ask(url, steps(block))).find(({ error }) => error);
    if (refused) throw new Error(`block ${block.hash}: ${refused.error.message}`);
    await call("evm_mine");
}

const [genesis, ...blocks] = chain
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
for (const block of [genesis, ...blocks]) {
    if (block !== genesis) await mine(block);
    const { hash } = await call("eth_getBlockByNumber", "latest", false);
    if (hash !== block.hash) throw new Error(`a block is ${hash}, not ${block.hash}`);
}
