// A client made with the TypeScript SDK, which uses berth the way an agent's
// program does. It prints one JSON object; the Go test says what must be in it.
//
//   node client.mjs FOLDER stdio COMMAND ARGS…
//   node client.mjs FOLDER http URL TOKEN
//
// FOLDER is where the SDK is installed.
import { createRequire } from "node:module";

const [folder, transportKind, ...rest] = process.argv.slice(2);
const require = createRequire(folder + "/");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { ElicitRequestSchema, CreateMessageRequestSchema } = require("@modelcontextprotocol/sdk/types.js");

const client = new Client({ name: "ts", version: "1" }, { capabilities: { elicitation: {}, sampling: {} } });
const asked = [];
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: {} };
});
client.setRequestHandler(CreateMessageRequestSchema, async () => (
  { role: "assistant", model: "m", content: { type: "text", text: "sampled in TypeScript" } }));

const transport = transportKind === "stdio"
  ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), stderr: "inherit" })
  : new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: "Bearer " + rest[1] } } });
await client.connect(transport);

const text = (result) => result.content.filter((c) => c.type === "text").slice(1).map((c) => c.text).join("|");
const exec = async (source, more = {}, options = {}) =>
  client.callTool({ name: "exec", arguments: { source, ...more } }, undefined, options);

const out = { server: client.getServerVersion().name };
const { tools } = await client.listTools();
out.tools = tools.map((t) => t.name);
out.declares = tools[0].description.includes("everything__get_sum(args: {");
out.sum = text(await exec(`text((await tools.everything__get_sum({a: 2, b: 40})).content[0].text)`));
out.structured = text(await exec(`text(Object.keys((await tools.everything__get_structured_content({location: "Chicago"})).structuredContent).sort().join())`));
out.image = (await exec(`image((await tools.everything__get_tiny_image()).content.find(c => c.type === "image"))`)).content.at(-1).mimeType;
out.elicit = text(await exec(`text((await tools.everything__toggle_simulated_logging()).content.length > 0)`));
out.asked = asked.length;
out.sampled = text(await exec(`text((await tools.everything__trigger_sampling_request({prompt: "hi", maxTokens: 10})).content.map(c => c.text).join().includes("sampled in TypeScript"))`));

const progress = [];
await exec(`await tools.everything__trigger_long_running_operation({duration: 0.2, steps: 2})`, {}, { onprogress: (p) => progress.push(p.message ?? "") });
out.progress = progress.length > 0 && progress.every((m) => m.startsWith("everything.trigger-long-running-operation"));

const running = await exec(`text("a"); yield_control(); await new Promise(r => setTimeout(r, 30)); text("b")`);
const id = /cell ID (\S+)/.exec(running.content[0].text)[1];
out.wait = text(running) + text(await client.callTool({ name: "wait", arguments: { cell_id: id } }));

const abort = new AbortController();
const aborted = exec(`for (;;);`, {}, { signal: abort.signal });
setTimeout(() => abort.abort(), 100);
out.aborted = await aborted.then(() => false, () => true);
const failed = await exec(`throw new Error("boom")`);
out.failed = [failed.isError, text(failed).includes("Error: boom")];
console.log(JSON.stringify(out));
await client.close();
