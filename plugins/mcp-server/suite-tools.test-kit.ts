/** The tools that the conformance suite asks a server for, as tools of a plugin. */
import {
  definePlugin,
  defineTool,
  Media,
  Tools,
  type QuestionForm,
  type ToolResult,
  type ToolRun,
} from "@gantry/sdk";
import { Type } from "typebox";

const user = "mcp:suite";
/** A red dot. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);
/** A wave of no samples. */
const wav = Buffer.from(`524946462400000057415645666d7420${"00".repeat(28)}`, "hex");

const textField = { type: "string" } as const;
const form = (...names: readonly string[]): QuestionForm => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, textField])),
  required: names,
});

/** Puts each question to the person and says what was answered. */
async function asked(
  { ask }: ToolRun<any>,
  ...wanted: readonly { readonly text: string; readonly form: QuestionForm }[]
): Promise<string> {
  const answers: string[] = [];
  for (const one of wanted) {
    const answer = await ask?.(one);
    answers.push(JSON.stringify(answer ?? { action: "cancel" }));
    if (answer?.action !== "accept") break;
  }
  return `The person answered ${answers.join(", ")}`;
}

const confirmed: QuestionForm = {
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok"],
};
const name = { text: "What is your name?", form: form("name") };

type Run = (run: ToolRun<any>, media: Media) => Promise<ToolResult>;

const part = async (media: Media, bytes: Uint8Array, mime: string) =>
  ({ type: "media", media: await media.put(bytes, { mime, user }) }) as const;
const parts = (...all: readonly any[]): ToolResult => ({ parts: all, failed: false });
const resource = Buffer.from("This is an embedded resource content.");

/** The work of each of them. */
export const runs: Readonly<Record<string, Run>> = {
  test_simple_text: async () => "This is a simple text response for testing.",
  test_image_content: async (_, media) => parts(await part(media, png, "image/png")),
  test_audio_content: async (_, media) => parts(await part(media, wav, "audio/wav")),
  test_embedded_resource: async (_, media) => parts(await part(media, resource, "text/plain")),
  test_multiple_content_types: async (_, media) =>
    parts(
      { type: "text", text: "Multiple content types test:" },
      await part(media, png, "image/png"),
      await part(media, Buffer.from('{"test":"data"}'), "application/json"),
    ),
  async test_error_handling() {
    throw new Error("This tool intentionally returns an error for testing");
  },
  async test_tool_with_progress({ progress, signal }) {
    for (const done of [0, 50, 100]) {
      progress?.({ done, total: 100 });
      // Steps that come faster than ten a second are told as one.
      await new Promise((resolve) => setTimeout(resolve, 150));
      signal.throwIfAborted();
    }
    return "done";
  },
  test_elicitation: (run) => asked(run, { text: "Who are you?", form: form("username", "email") }),
  test_streaming_elicitation: (run) => asked(run, name),
  test_logging_tool: async () => "Nothing was logged to you.",
  test_input_required_result_elicitation: (run) => asked(run, name),
  test_input_required_result_request_state: (run) =>
    asked(run, { text: "Please confirm", form: confirmed }).then((text) => `state-ok: ${text}`),
  test_input_required_result_multi_round: (run) =>
    asked(run, name, { text: "What is your favorite color?", form: form("color") }),
  test_input_required_result_tampered_state: (run) => asked(run, { text: "Confirm?", form: form("confirm") }),
};

export const suiteTools = definePlugin({
  name: "tool-suite",
  provides: [Tools],
  needs: { media: Media },
  setup(host) {
    for (const [tool, run] of Object.entries(runs))
      host.provide(
        Tools,
        defineTool({
          name: tool,
          description: `Is ${tool} of the suite.`,
          input: Type.Object({}),
          run: (given) => run(given, host.needs.media),
        }),
      );
  },
});
