// Builds the small world on a node: play.mjs URL. On all nodes of tests/nodes/run the same
// transactions, with the same hashes, are in the same blocks.
import { readFileSync } from "node:fs";
import { node, Refused } from "../rpc.mjs";

const contracts = JSON.parse(readFileSync(new URL("World.json", import.meta.url)));
const call = node(process.argv[2]);
const [alice, bob, carol, dave] = (await call("eth_accounts")).map((address) =>
    address.toLowerCase(),
);

const hex = (number) => `0x${BigInt(number).toString(16)}`;
const word = (value) => BigInt(value).toString(16).padStart(64, "0");
const words = (values) => values.map(word).join("");

/** Calldata: the contract, the function and its arguments, each a word. */
function invoke(contract, method, ...values) {
    const found = Object.entries(contracts[contract].selectors).find(([name]) =>
        name.startsWith(`${method}(`),
    );
    return `0x${found[1]}${words(values)}`;
}
const creation = (contract, ...values) => contracts[contract].code + words(values);

// A transaction is only signed when its block is made, so that it can use addresses made before.
const legacy = { gasPrice: hex(3e9) };
const listed = () => ({
    type: "0x1",
    gasPrice: hex(3e9),
    accessList: [{ address: at.coin, storageKeys: [`0x${word(0)}`] }],
});
const send = (from, to, data, more) => ({ from, to, data, ...more });
const create = (name, contract, ...values) => ({
    from: alice,
    name,
    data: creation(contract, ...values),
});
const at = {};

const blocks = [
    () => [
        create("coin", "Coin"),
        create("panes", "Panes"),
        create("pots", "Pots"),
        create("clonable", "Clonable"),
    ],
    () => [
        create("factory", "Factory"),
        create("thrower", "Thrower"),
        create("caller", "Caller"),
        create("talker", "Talker"),
    ],
    () => [
        { ...create("child", "Child", 7), value: hex(1000) },
        create("unlucky", "Child", 13),
        { from: alice, data: "0x00" },
        create("proxy", "Proxy", at.coin, alice, 900),
    ],
    () => [
        send(alice, at.coin, invoke("Coin", "mint", bob, 1_000_000)),
        send(alice, at.coin, invoke("Coin", "mint", alice, 5)),
    ],
    () => [send(bob, at.coin, invoke("Coin", "transfer", carol, 250_000))],
    () => [send(bob, at.coin, invoke("Coin", "approve", carol, 500_000), legacy)],
    () => [send(carol, at.coin, invoke("Coin", "transferFrom", bob, dave, 300_000))],
    () => [
        send(dave, at.coin, invoke("Coin", "transfer", bob, 999_999_999)),
        send(dave, at.coin, invoke("Coin", "transfer", dave, 0)),
    ],
    () => [send(alice, at.proxy, invoke("Coin", "transfer", bob, 90))],
    () =>
        [1, 2, 3, 4, 5, 6].map((id) =>
            send(alice, at.panes, invoke("Panes", "mint", id % 2 ? bob : carol, id)),
        ),
    () => [
        send(bob, at.panes, invoke("Panes", "transferFrom", bob, dave, 1)),
        send(bob, at.panes, invoke("Panes", "burn", 3)),
    ],
    () => [
        send(alice, at.pots, invoke("Pots", "mint", bob, 7, 10)),
        send(alice, at.pots, invoke("Pots", "mintBatch", bob, 1, 3, 20)),
    ],
    () => [
        send(bob, at.pots, invoke("Pots", "safeTransferFrom", bob, carol, 7, 4, 0xa0, 0)),
        send(bob, at.pots, invoke("Pots", "burnBatch", 1, 2, 5)),
        send(bob, at.pots, invoke("Pots", "mintBatch", dave, 1, 0, 1)),
    ],
    () => [
        send(alice, at.factory, invoke("Factory", "make", 5), { value: hex(100) }),
        send(alice, at.factory, invoke("Factory", "make2", 6, 0x5a17)),
        send(alice, at.factory, invoke("Factory", "clone", at.clonable, carol, 10n ** 21n)),
    ],
    () => [
        send(alice, at.factory, invoke("Factory", "makeAndEnd", dave), { value: hex(50) }),
        send(alice, at.factory, invoke("Factory", "makeUnlucky")),
    ],
    () => [send(alice, at.caller, invoke("Caller", "split", bob, carol), { value: hex(1001) })],
    () => [send(alice, at.caller, invoke("Caller", "catchAll", at.thrower), { value: hex(1) })],
    () => [send(alice, at.caller, invoke("Caller", "mixed", at.coin, dave, 2))],
    () =>
        ["reason", "custom", "panic", "nothing", "invalid"].map((method) =>
            send(alice, at.thrower, invoke("Thrower", method, 0), { gas: hex(100_000) }),
        ),
    () => [send(alice, at.talker, invoke("Talker", "talk", 42))],
    () => [],
    () => [
        send(alice, alice, "0x"),
        send(alice, at.coin, "0x", { value: hex(3) }),
        send(alice, "0x9999999999999999999999999999999999999999", "0x", { value: hex(4) }),
        // Last, as anvil forgets a transaction that pays more than the one before it.
        send(alice, bob, "0x", { value: hex(10n ** 18n), ...legacy }),
        send(alice, carol, "0x", { value: hex(1), ...listed() }),
    ],
    // What the nodes do differently: see the README.
    () => [
        send(alice, at.talker, invoke("Talker", "mumble", 42)),
        send(alice, dave, `0x${Buffer.from("hello, dave").toString("hex")}`, { value: hex(2) }),
        send(alice, at.child, invoke("Child", "end", bob)),
    ],
];

const isGanache = (await call("web3_clientVersion")).startsWith("Ganache");
const hold = () => (isGanache ? call("miner_stop") : call("evm_setAutomine", false));
/** Ganache would mine an empty block on `miner_start`. */
const resume = () => (isGanache ? undefined : call("evm_setAutomine", true));
async function mine(timestamp) {
    if (isGanache) return call("evm_mine", { timestamp });
    await call("evm_setNextBlockTimestamp", hex(timestamp));
    return call("evm_mine");
}

const nonces = {};
/** Every field is given, as the nodes' defaults differ. */
function filled(transaction) {
    const { name, from, ...rest } = transaction;
    nonces[from] ??= 0;
    const fees = rest.gasPrice ? {} : { maxFeePerGas: hex(4e9), maxPriorityFeePerGas: hex(1e9) };
    return {
        from,
        gas: hex(3_000_000),
        value: "0x0",
        nonce: hex(nonces[from]++),
        ...fees,
        ...rest,
    };
}

async function build(transactions, timestamp) {
    const hashes = [];
    for (const transaction of transactions)
        hashes.push(await call("eth_sendTransaction", filled(transaction)));
    await mine(timestamp);
    for (const [index, hash] of hashes.entries()) {
        const receipt = await call("eth_getTransactionReceipt", hash);
        if (!receipt) throw new Error(`${hash} is in no block`);
        const { name } = transactions[index];
        if (name) at[name] = receipt.contractAddress;
    }
}

if ((await call("eth_blockNumber")) !== "0x0")
    throw new Refused("play", { message: "the chain is not empty" });
const start = Number((await call("eth_getBlockByNumber", "0x0", false)).timestamp);
await hold();
for (const [height, transactions] of blocks.entries())
    await build(transactions(), start + 12 * (height + 1));
await resume();
