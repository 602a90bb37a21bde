import { textOf, errors, type Provider } from "@gantry/sdk";
import { failure } from "@gantry/sdk/provider";

/** Repeats what was said. A real one sends request.messages to a server: need the slot Upstream and stream with streamAnswer(). */
export const provider: Provider = {
  name: "example",
  capabilities: { nativeToolCalling: false, vision: false, streaming: true },
  async *chat(request) {
    if (request.signal.aborted)
      return yield { type: "error", failure: failure(errors.PROVIDER_CANCELLED("example"), false) };
    if (request.tools.length > 0) {
      const refusal = errors.PROVIDER_REQUEST("example", 400, "it takes no tools.");
      return yield { type: "error", failure: failure(refusal, false) };
    }
    const said = textOf(request.messages.findLast(({ role }) => role === "user")?.parts ?? []);
    for (const piece of said.match(/\S+\s*/g) ?? ["…"]) yield { type: "text", text: piece };
    yield { type: "usage", inputTokens: said.length, outputTokens: said.length };
    yield { type: "stop", reason: "EndTurn" };
  },
  models: async () => ["echo"],
  credential: async () => "none",
};
