// The chain of the demo as signed transactions: `pack` makes them of a recording, `play` mines them
// on an anvil again. There every block gets the hash it had, so that all in it is the same.
//
//   node devnet.mjs pack BLOCKS.jsonl.gz > tests/data/node/devnet.jsonl.gz
//   node devnet.mjs options
//   node devnet.mjs play URL
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { ask, node } from "./rpc.mjs";

const CHAIN = new URL("../data/node/devnet.jsonl.gz", import.meta.url);
/** What the chain was started with. */
const OPTIONS =
    "--hardfork prague --timestamp 1700000000 --gas-limit 60000000 --base-fee 12000000000 " +
    "--accounts 16 --balance 10000000 --order fifo --no-mining";

const lines = (path) => gunzipSync(readFileSync(path)).toString().trim().split("\n").map((line) => JSON.parse(line));

// RLP, the form in which transactions are signed.
const bytes = (hex) => Buffer.from(hex.slice(2), "hex");
function number(hex) {
    const digits = BigInt(hex).toString(16);
    return digits === "0" ? Buffer.alloc(0) : Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
}
function prefix(length, short) {
    if (length < 56) return Buffer.from([short + length]);
    const size = number(`0x${length.toString(16)}`);
    return Buffer.concat([Buffer.from([short + 55 + size.length]), size]);
}
function rlp(item) {
    if (Array.isArray(item)) {
        const body = Buffer.concat(item.map(rlp));
        return Buffer.concat([prefix(body.length, 0xc0), body]);
    }
    const isItself = item.length === 1 && item[0] < 0x80;
    return isItself ? item : Buffer.concat([prefix(item.length, 0x80), item]);
}

const access = (list) => list.map((entry) => [bytes(entry.address), entry.storageKeys.map(bytes)]);
const authorizations = (list) =>
    list.map((one) => [number(one.chainId), bytes(one.address), number(one.nonce), number(one.yParity), number(one.r), number(one.s)]);

/** The signed transaction that a node describes so. */
function signed(transaction) {
    const { type, to, r, s } = transaction;
    const field = (name) => number(transaction[name]);
    const call = [field("gas"), bytes(to ?? "0x"), field("value"), bytes(transaction.input)];
    if (type === "0x0") return rlp([field("nonce"), field("gasPrice"), ...call, field("v"), number(r), number(s)]);
    const price = type === "0x1" ? ["gasPrice"] : ["maxPriorityFeePerGas", "maxFeePerGas"];
    const fields = [...["chainId", "nonce", ...price].map(field), ...call, access(transaction.accessList)];
    if (type === "0x4") fields.push(authorizations(transaction.authorizationList));
    return Buffer.concat([bytes(`0x0${type.slice(2)}`), rlp([...fields, field("yParity"), number(r), number(s)])]);
}

const packed = ({ hash, timestamp, gasLimit, baseFeePerGas, transactions }) => ({
    hash,
    timestamp,
    gasLimit,
    baseFeePerGas,
    transactions: transactions.map((transaction) => `0x${signed(transaction).toString("hex")}`),
});

function pack(path) {
    const chain = lines(path).map(({ result }) => JSON.stringify(packed(result)));
    process.stdout.write(gzipSync(`${chain.join("\n")}\n`, { level: 9 }));
}

/** What mines a block, in the order in which the node must do it. */
const steps = (block) => [
    { method: "evm_setBlockGasLimit", params: [block.gasLimit] },
    { method: "anvil_setNextBlockBaseFeePerGas", params: [block.baseFeePerGas] },
    { method: "evm_setNextBlockTimestamp", params: [block.timestamp] },
    ...block.transactions.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })),
];

async function play(url) {
    const call = node(url);
    for (const [height, block] of lines(CHAIN).entries()) {
        if (height > 0) {
            const refused = (await ask(url, steps(block))).find(({ error }) => error);
            if (refused) throw new Error(`block ${height}: ${refused.error.message}`);
            await call("evm_mine");
        }
        const { hash } = await call("eth_getBlockByNumber", "latest", false);
        if (hash !== block.hash) throw new Error(`block ${height} is ${hash}, not ${block.hash}`);
    }
}

const [command, argument] = process.argv.slice(2);
const commands = { pack, play, options: () => console.log(OPTIONS) };
await commands[command](argument);
