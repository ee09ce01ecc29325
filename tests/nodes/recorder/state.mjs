// What a node says of each address, token and instance of its chain, in each way that an explorer
// asks. They are found in the transactions, logs and calls.
import { question } from "./recorder.mjs";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

const method = {
    name: "0x06fdde03",
    symbol: "0x95d89b41",
    decimals: "0x313ce567",
    totalSupply: "0x18160ddd",
    supportsInterface: "0x01ffc9a7",
    balanceOf: "0x70a08231",
    balanceOfId: "0x00fdd58e",
    ownerOf: "0x6352211e",
    tokenURI: "0xc87b56dd",
    uri: "0x0e89341c",
};
const INTERFACES = ["01ffc9a7", "ffffffff", "80ac58cd", "d9b67a26"];
const METADATA = [
    method.name,
    method.symbol,
    method.decimals,
    method.totalSupply,
    ...INTERFACES.map((id) => `${method.supportsInterface}${id.padEnd(64, "0")}`),
];

const unique = (items) => [...new Set(items)];
const word = (value) => BigInt(value).toString(16).padStart(64, "0");
const words = (data) => data.slice(2).match(/.{64}/g) ?? [];
const read = (to, data) => question("eth_call", { to, data }, "latest");

function addressesOf({ transactions, receipts, calls }) {
    const logged = receipts
        .flatMap(({ logs }) => logs)
        .flatMap(({ topics, data }) => [...topics.flatMap(words), ...words(data)])
        .filter((one) => /^0{24}(?!00)/.test(one));
    const called = calls
        .filter(Boolean)
        .flatMap(({ action, result, error }) => [
            ...[action.from, action.to, action.address, action.refundAddress],
            error ? undefined : result?.address,
        ]);
    const named = [
        `0x${"0".repeat(40)}`,
        ...transactions.flatMap(({ from, to }) => [from, to]),
        ...receipts.map(({ status, contractAddress }) => status === "0x1" && contractAddress),
        ...logged.map((one) => `0x${one.slice(24)}`),
        ...called,
    ];
    return unique(named.filter(Boolean));
}

/** Pairs of a contract and an id, of its transfers. */
function instancesOf(logs, ids) {
    const pairs = logs.flatMap((log) => ids(log).map((id) => `${log.address} ${id}`));
    return unique(pairs).map((pair) => pair.split(" "));
}
function idsOf({ topics, data }) {
    const values = words(data);
    if (topics[0] === SINGLE) return [`0x${values[0]}`];
    return values.slice(3, 3 + Number(`0x${values[2]}`)).map((id) => `0x${id}`);
}

async function accounts(record, addresses) {
    const codes = await record(addresses.map((one) => question("eth_getCode", one, "latest")));
    await record(addresses.map((one) => question("eth_getBalance", one, "latest")));
    await record(addresses.map((one) => question("eth_getTransactionCount", one, "latest")));
    return addresses.filter((_, index) => codes[index] !== "0x");
}

async function tokens(record, addresses, logs) {
    const shown = (topic, length) =>
        logs.filter(({ topics }) => topics[0] === topic && topics.length === length);
    const coins = [...shown(TRANSFER, 3), ...shown(TRANSFER, 4)].map(({ address }) => address);
    for (const coin of unique(coins))
        await record(addresses.map((one) => read(coin, `${method.balanceOf}${word(one)}`)));
    for (const [nft, id] of instancesOf(shown(TRANSFER, 4), ({ topics }) => [topics[3]]))
        await record([method.ownerOf, method.tokenURI].map((one) => read(nft, one + word(id))));
    const several = [...shown(SINGLE, 4), ...shown(BATCH, 4)];
    for (const [contract, id] of instancesOf(several, idsOf)) {
        const balance = (one) => read(contract, `${method.balanceOfId}${word(one)}${word(id)}`);
        await record([read(contract, `${method.uri}${word(id)}`), ...addresses.map(balance)]);
    }
}

export async function state(record, chain) {
    const addresses = addressesOf(chain);
    const contracts = await accounts(record, addresses);
    const slot = (one) => question("eth_getStorageAt", one, IMPLEMENTATION, "latest");
    await record(contracts.map(slot));
    await record(contracts.flatMap((one) => METADATA.map((data) => read(one, data))));
    await tokens(
        record,
        addresses,
        chain.receipts.flatMap(({ logs }) => logs),
    );
}
