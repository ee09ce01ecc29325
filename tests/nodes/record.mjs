// Writes down what a node answers to everything that an indexer asks, for a fake that answers the
// same: record.mjs URL > RECORDING.jsonl, one {method, params, result | error} a line. Addresses
// and tokens are found in the logs, and each is asked about in each way.
import { ask } from "./rpc.mjs";

const url = process.argv[2];
const BATCH = 50;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCHED = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const ABSENT = `0x${"ab".repeat(32)}`;

const hex = (number) => `0x${number.toString(16)}`;
const word = (value) => BigInt(value).toString(16).padStart(64, "0");
const question = (method, ...params) => ({ method, params });
const read = (to, data) => question("eth_call", { to, data }, "latest");
const unique = (items) => [...new Set(items)];

/** The steps of a struct log that enter, leave or announce something, and those after them. */
function decisive(steps) {
    const telling = /^(CALL|CALLCODE|DELEGATECALL|STATICCALL|CREATE2?|SELFDESTRUCT|LOG\d)$/;
    const kept = (step, index) =>
        index === 0 ||
        index === steps.length - 1 ||
        telling.test(step.op) ||
        telling.test(steps[index - 1].op) ||
        steps[index - 1].depth !== step.depth ||
        steps[index + 1].depth !== step.depth;
    return steps.filter(kept);
}
function trimmed(answer) {
    const steps = answer.result?.structLogs;
    return steps ? { result: { ...answer.result, structLogs: decisive(steps) } } : answer;
}

async function record(questions) {
    const results = [];
    for (let start = 0; start < questions.length; start += BATCH) {
        const part = questions.slice(start, start + BATCH);
        for (const [index, answer] of (await ask(url, part)).entries()) {
            console.log(JSON.stringify({ ...part[index], ...trimmed(answer) }));
            results.push(answer.result);
        }
    }
    return results;
}

// The node and the end of its chain.
const [head] = await record(
    [
        "eth_blockNumber",
        "eth_chainId",
        "net_version",
        "web3_clientVersion",
        "eth_syncing",
        "eth_accounts",
    ]
        .concat([
            "anvil_metadata",
            "anvil_nodeInfo",
            "hardhat_metadata",
            "txpool_status",
            "no_suchMethod",
        ])
        .map((method) => question(method)),
);
const heights = Array.from({ length: Number(head) + 2 }, (_, height) => hex(height));
await record(
    ["latest", "pending", "earliest"].map((tag) => question("eth_getBlockByNumber", tag, true)),
);

// Blocks, with one beyond the head, and transactions, with one that is nowhere.
const blocks = (
    await record(heights.map((height) => question("eth_getBlockByNumber", height, true)))
).filter(Boolean);
await record(
    blocks
        .map(({ hash }) => question("eth_getBlockByHash", hash, false))
        .concat(question("eth_getBlockByHash", ABSENT, false)),
);
await record(heights.map((height) => question("eth_getBlockReceipts", height)));
await record(heights.map((height) => question("trace_block", height)));
await record(
    heights.map((height) => question("debug_traceBlockByNumber", height, { tracer: "callTracer" })),
);
const transactions = blocks.flatMap((block) => block.transactions);
const hashes = [...transactions.map(({ hash }) => hash), ABSENT];
await record(hashes.map((hash) => question("eth_getTransactionByHash", hash)));
const receipts = (
    await record(hashes.map((hash) => question("eth_getTransactionReceipt", hash)))
).filter(Boolean);
await record(hashes.map((hash) => question("trace_transaction", hash)));
const dialects = [
    { tracer: "flatCallTracer", tracerConfig: { includePrecompiles: true } },
    { tracer: "flatCallTracer" },
    { tracer: "callTracer" },
    { disableStorage: true, enableMemory: true },
];
for (const dialect of dialects)
    for (const hash of hashes) await record([question("debug_traceTransaction", hash, dialect)]);
await record([question("eth_getLogs", { fromBlock: "0x0", toBlock: "latest" })]);

// Addresses: named in transactions, receipts and logs.
const logs = receipts.flatMap((receipt) => receipt.logs);
const words = logs.flatMap(({ topics, data }) => [
    ...topics.map((topic) => topic.slice(2)),
    ...(data.slice(2).match(/.{64}/g) ?? []),
]);
const addresses = unique(
    [
        ...transactions.flatMap(({ from, to }) => [from, to]),
        ...receipts.map(({ status, contractAddress }) => status === "0x1" && contractAddress),
        `0x${"0".repeat(40)}`,
        ...words.filter((one) => /^0{24}(?!00)/.test(one)).map((one) => `0x${one.slice(24)}`),
    ].filter(Boolean),
);
const codes = await record(addresses.map((address) => question("eth_getCode", address, "latest")));
await record(addresses.map((address) => question("eth_getBalance", address, "latest")));
await record(addresses.map((address) => question("eth_getTransactionCount", address, "latest")));
const contracts = addresses.filter((_, index) => codes[index] !== "0x");
await record(
    contracts.map((address) => question("eth_getStorageAt", address, IMPLEMENTATION, "latest")),
);

// Kinds and metadata: name, symbol, decimals, totalSupply, supportsInterface.
const interfaces = ["01ffc9a7", "ffffffff", "80ac58cd", "d9b67a26"].map(
    (id) => `0x01ffc9a7${id.padEnd(64, "0")}`,
);
const metadata = ["0x06fdde03", "0x95d89b41", "0x313ce567", "0x18160ddd", ...interfaces];
await record(contracts.flatMap((address) => metadata.map((data) => read(address, data))));

// Balances and instances.
const shown = (topic, length) =>
    logs.filter(({ topics }) => topics[0] === topic && topics.length === length);
const coins = unique([...shown(TRANSFER, 3), ...shown(TRANSFER, 4)].map(({ address }) => address));
await record(
    coins.flatMap((coin) => addresses.map((owner) => read(coin, `0x70a08231${word(owner)}`))),
);
const instances = unique(
    shown(TRANSFER, 4).map(({ address, topics }) => `${address} ${topics[3]}`),
);
await record(
    instances.flatMap((instance) => {
        const [address, id] = instance.split(" ");
        return [read(address, `0x6352211e${word(id)}`), read(address, `0xc87b56dd${word(id)}`)];
    }),
);
const ids = (log) => {
    const values = log.data.slice(2).match(/.{64}/g);
    return log.topics[0] === SINGLE ? [values[0]] : values.slice(3, 3 + Number(`0x${values[2]}`));
};
const pots = unique(
    [...shown(SINGLE, 4), ...shown(BATCHED, 4)].flatMap((log) =>
        ids(log).map((id) => `${log.address} 0x${id}`),
    ),
);
await record(
    pots.flatMap((pot) => {
        const [address, id] = pot.split(" ");
        const balances = addresses.map((owner) =>
            read(address, `0x00fdd58e${word(owner)}${word(id)}`),
        );
        return [read(address, `0x0e89341c${word(id)}`), ...balances];
    }),
);
