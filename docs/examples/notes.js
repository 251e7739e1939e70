// One cell instead of a dozen tool calls: it reads every note of the demo MCP
// server at once, keeps what matters and prints only that. The server is that of
// `berth demo-mcp`; each MCP tool is an async function.
const { structuredContent: { notes } } = await tools.note_list({});
text(`The notebook holds ${notes.length} notes.`);

const read = await Promise.all(notes.map(({ id }) => tools.note_read({ id })));
const bodies = read.map((r) => r.structuredContent);
const longest = bodies.reduce((a, b) => (b.body.length > a.body.length ? b : a));
text(`The longest is "${longest.title}" with ${longest.body.length} characters.`);

const groceries = bodies.find((n) => n.title === "Groceries").body.replace(/\.$/, "").split(", ");
const list = new Intl.ListFormat("en-US").format(groceries);
const { structuredContent: made } = await tools.note_create({ title: "Shopping", body: `Get ${list}.` });
text(`Wrote note ${made.id}: ${made.body}`);

// A tool that fails does not end the program.
const failed = await tools.fail({ message: "out of lemons" });
text(`The tool "fail" says: ${failed.content[0].text}`);
