// Talks JSON-RPC to a node. Every request is bounded in time.
const SECONDS = 60;

export class Refused extends Error {
    constructor(method, error) {
        super(`${method}: ${error.message ?? JSON.stringify(error)}`);
        this.error = error;
    }
}

async function post(url, body) {
    const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(SECONDS * 1000),
    });
    return answer.json();
}

const question = ({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params });

/** Answers as the node gives them, `{result}` or `{error}`, in the order of the questions. */
export async function ask(url, questions) {
    const answers = await post(url, questions.map(question));
    if (!Array.isArray(answers)) throw new Refused("batch", answers.error ?? {});
    const byId = new Map(
        answers.map(({ id, result, error }) => [id, error ? { error } : { result }]),
    );
    return questions.map((_, id) => byId.get(id));
}

/** A function that calls one method and throws `Refused` for an error. */
export const node =
    (url) =>
    async (method, ...params) => {
        const { result, error } = await post(url, question({ method, params }, 1));
        if (error) throw new Refused(method, error);
        return result;
    };
