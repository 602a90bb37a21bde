import { expect, test } from "vitest";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { chunk, startModel, type Answer } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** An answer that took so many tokens: in, from the cache, out, thought. */
function taking(delta: object, finish: string, [input, cached, out, thought]: readonly number[]): Answer {
  const usage = {
    prompt_tokens: input,
    completion_tokens: out,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thought },
  };
  return {
    raw(response) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk(delta, finish));
      response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    },
  };
}

const call = { index: 0, id: "call_0", type: "function", function: { name: "file_list", arguments: "{}" } };
const script = [
  taking({ tool_calls: [call] }, "tool_calls", [100, 40, 20, 7]),
  taking({ content: "Nothing is there." }, "stop", [150, 90, 30, 5]),
];
/** The two requests of the turn together. */
const sum = { input_tokens: 250, output_tokens: 50, cached_tokens: 130, reasoning_tokens: 12 };

test("USE-04: the answer of agent --json says what all requests of its turn took, with what came from the cache and what was thought", async () => {
  await using model = await startModel(...script);
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n`);
  const { code, out } = await gantry(["agent", "-m", "What is here?", "--json"], { dir: home.dir });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ reply: "Nothing is there.", usage: sum });
});

test("USE-04: the answer of /api/chat says the same, whole and as a stream", async () => {
  await using model = await startModel(...script, ...script);
  const gateway = "[gateway]\nport = 0\nrequire_pairing = false\n";
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n${gateway}`);
  const { child, ended } = startGantry(["gateway"], { dir: home.dir });
  try {
    const line = await said(child, "stderr", /"url":"([^"]+)"/);
    const url = /"url":"([^"]+)"/.exec(line)?.[1] ?? "";
    const ask = (body: object): Promise<Response> =>
      fetch(`${url}/api/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: "What is here?", ...body }),
      });
    expect(await (await ask({})).json()).toMatchObject({ reply: "Nothing is there.", usage: sum });
    const streamed = await (await ask({ stream: true })).text();
    const [, done = "{}"] = /event: done\ndata: (.*)/.exec(streamed) ?? [];
    expect(JSON.parse(done)).toMatchObject({ usage: sum });
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});
