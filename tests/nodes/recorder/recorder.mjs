// Asks a node and writes its answers down: a line for each, {method, params, result | error}.
import { ask } from "../rpc.mjs";

const BATCH = 50;

export const question = (method, ...params) => ({ method, params });

const ZERO = `0x${"0".repeat(64)}`;
const BALANCE_OF = ["0x70a08231", "0x00fdd58e"];
const isEmptyBalance = ({ method, params }, { result }) =>
    method === "eth_call" && result === ZERO && BALANCE_OF.includes(params[0].data.slice(0, 10));

/** The steps of a struct log that enter, leave or announce something, and those beside them. */
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

/** The answers of a node in parts of a batch. */
async function* answers(url, questions, batch) {
    for (let start = 0; start < questions.length; start += batch) {
        const part = questions.slice(start, start + batch);
        const found = await ask(url, part);
        for (const [index, asked] of part.entries()) yield [asked, found[index]];
    }
}

/** Asks only: the results, undefined where the node refuses. */
export const reader = (url) => async (questions) => {
    const results = [];
    for await (const [, { result }] of answers(url, questions, BATCH)) results.push(result);
    return results;
};

/** Asks and writes; empty balances are left out. */
export const recorder =
    (url) =>
    async (questions, batch = BATCH) => {
        const results = [];
        for await (const [asked, answer] of answers(url, questions, batch)) {
            if (!isEmptyBalance(asked, answer))
                console.log(JSON.stringify({ ...asked, ...trimmed(answer) }));
            results.push(answer.result);
        }
        return results;
    };
