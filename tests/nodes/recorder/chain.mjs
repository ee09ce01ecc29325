// What a node says of itself and of its blocks and transactions.
import { question } from "./recorder.mjs";

const ABSENT = `0x${"ab".repeat(32)}`;
const ABOUT = [
    "eth_chainId",
    "net_version",
    "web3_clientVersion",
    "eth_syncing",
    "eth_accounts",
    "anvil_metadata",
    "anvil_nodeInfo",
    "hardhat_metadata",
    "txpool_status",
    "no_suchMethod",
];
const DIALECTS = [
    { tracer: "flatCallTracer", tracerConfig: { includePrecompiles: true } },
    { tracer: "flatCallTracer" },
    { tracer: "callTracer" },
    { disableStorage: true, enableMemory: true },
];

const hex = (number) => `0x${number.toString(16)}`;
const block = (at) => question("eth_getBlockByNumber", at, true);

/** The transactions, receipts and calls of the chain, by few questions. */
export async function chain(ask) {
    const [head] = await ask([question("eth_blockNumber")]);
    const heights = Array.from({ length: Number(head) + 1 }, (_, height) => hex(height));
    const blocks = await ask(heights.map(block));
    const transactions = blocks.flatMap(({ transactions }) => transactions);
    const hashes = transactions.map(({ hash }) => hash);
    return {
        heights,
        blocks,
        transactions,
        receipts: await ask(hashes.map((hash) => question("eth_getTransactionReceipt", hash))),
        calls: (await ask(heights.map((height) => question("trace_block", height)))).flat(),
    };
}

/** All questions about the chain, with a block beyond the head and a transaction that is nowhere. */
export async function whole(record) {
    await record(ABOUT.map((method) => question(method)));
    await record(["latest", "pending", "earliest"].map(block));
    const found = await chain(record);
    const beyond = hex(found.heights.length);
    const heights = [...found.heights, beyond];
    const hashes = [...found.transactions.map(({ hash }) => hash), ABSENT];
    const blocks = [...found.blocks.map(({ hash }) => hash), ABSENT];
    const traced = (height) =>
        question("debug_traceBlockByNumber", height, { tracer: "callTracer" });
    await record([block(beyond), question("trace_block", beyond)]);
    await record(blocks.map((hash) => question("eth_getBlockByHash", hash, false)));
    await record(heights.map((height) => question("eth_getBlockReceipts", height)));
    await record(heights.map(traced));
    await record(hashes.map((hash) => question("eth_getTransactionByHash", hash)));
    await record([question("eth_getTransactionReceipt", ABSENT)]);
    await record(hashes.map((hash) => question("trace_transaction", hash)));
    for (const dialect of DIALECTS)
        await record(
            hashes.map((hash) => question("debug_traceTransaction", hash, dialect)),
            1,
        );
    await record([question("eth_getLogs", { fromBlock: "0x0", toBlock: "latest" })]);
    return found;
}
