// Waits until the node at a URL answers, or its process has ended: await.mjs URL PID.
import { node } from "./rpc.mjs";

const [url, pid] = process.argv.slice(2);
const call = node(url);
for (;;) {
    try {
        await call("eth_chainId");
        break;
    } catch {
        process.kill(pid, 0);
        await new Promise((resume) => setTimeout(resume, 100));
    }
}
