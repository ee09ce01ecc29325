// Writes down what a node answers to everything that an indexer asks, for a fake that answers the
// same: main.mjs URL > RECORDING.jsonl; or only its state, of a chain that is recorded already:
// main.mjs URL state > STATE.jsonl.
import { chain, whole } from "./chain.mjs";
import { reader, recorder } from "./recorder.mjs";
import { state } from "./state.mjs";

const [url, only] = process.argv.slice(2);
const record = recorder(url);
await state(record, only === "state" ? await chain(reader(url)) : await whole(record));
