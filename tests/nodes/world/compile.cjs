// Compiles a file of this folder: compile.cjs FOLDER_WITH_SOLC NAME > NAME.json, for World and
// Oddities. hardhat 2 has solc 0.8.26.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const solc = require(require.resolve("solc", { paths: [process.argv[2]] }));
const file = `${process.argv[3]}.sol`;
const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(join(__dirname, file), "utf8") } },
    settings: {
        optimizer: { enabled: true, runs: 200 },
        evmVersion: "paris",
        metadata: { bytecodeHash: "none", appendCBOR: false },
        outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.methodIdentifiers"] } },
    },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
const contracts = Object.entries(output.contracts[file]).map(([name, { evm }]) => [
    name,
    { code: `0x${evm.bytecode.object}`, selectors: evm.methodIdentifiers },
]);
console.log(JSON.stringify(Object.fromEntries(contracts), null, 1));
