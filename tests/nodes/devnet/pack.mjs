// Packs a recorded chain as signed transactions, from what a node answers to eth_getBlockByNumber,
// a block a line: pack.mjs BLOCKS.jsonl.gz > tests/data/node/devnet.jsonl.gz
import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

// RLP, the form in which transactions are signed.
const bytes = (hex) => Buffer.from(hex.slice(2), "hex");
function number(hex) {
    const digits = BigInt(hex).toString(16);
    return digits === "0"
        ? Buffer.alloc(0)
        : Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
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
    list.map((one) => [
        number(one.chainId),
        bytes(one.address),
        number(one.nonce),
        number(one.yParity),
        number(one.r),
        number(one.s),
    ]);

/** The signed transaction that a node describes so. */
function signed(transaction) {
    const { type, to, r, s } = transaction;
    const field = (name) => number(transaction[name]);
    const call = [field("gas"), bytes(to ?? "0x"), field("value"), bytes(transaction.input)];
    if (type === "0x0")
        return rlp([field("nonce"), field("gasPrice"), ...call, field("v"), number(r), number(s)]);
    const price = type === "0x1" ? ["gasPrice"] : ["maxPriorityFeePerGas", "maxFeePerGas"];
    const fields = [
        ...["chainId", "nonce", ...price].map(field),
        ...call,
        access(transaction.accessList),
    ];
    if (type === "0x4") fields.push(authorizations(transaction.authorizationList));
    return Buffer.concat([
        bytes(`0x0${type.slice(2)}`),
        rlp([...fields, field("yParity"), number(r), number(s)]),
    ]);
}

const packed = ({ hash, timestamp, gasLimit, baseFeePerGas, transactions }) => ({
    hash,
    timestamp,
    gasLimit,
    baseFeePerGas,
    transactions: transactions.map((transaction) => `0x${signed(transaction).toString("hex")}`),
});

const lines = gunzipSync(readFileSync(process.argv[2])).toString().trim().split("\n");
const chain = lines.map((line) => JSON.stringify(packed(JSON.parse(line).result)));
process.stdout.write(gzipSync(`${chain.join("\n")}\n`, { level: 9 }));
