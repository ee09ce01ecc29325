// Compiles a file of this folder: compile.cjs FOLDER_WITH_SOLC NAME > NAME.json, for World and
// Oddities; with "layout" after it for Storage. hardhat 2 has solc 0.8.26.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const solc = require(require.resolve("solc", { paths: [process.argv[2]] }));
const file = `${process.argv[3]}.sol`;
const hasLayout = process.argv[4] === "layout";
const selection = ["evm.bytecode.object", "evm.methodIdentifiers"];
if (hasLayout) selection.push("evm.deployedBytecode.object", "storageLayout");
const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(join(__dirname, file), "utf8") } },
    settings: {
        optimizer: { enabled: true, runs: 200 },
        evmVersion: "paris",
        metadata: { bytecodeHash: "none", appendCBOR: false },
        outputSelection: { "*": { "*": selection } },
    },
};
const output = JSON.parse(solc.compile(JSON.stringify(input)));
const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));
const contracts = Object.entries(output.contracts[file]).map(([name, { evm, storageLayout }]) => [
    name,
    {
        code: `0x${evm.bytecode.object}`,
        selectors: evm.methodIdentifiers,
        ...(hasLayout && { runtime: `0x${evm.deployedBytecode.object}`, layout: storageLayout }),
    },
]);
console.log(JSON.stringify(Object.fromEntries(contracts), null, 1));
