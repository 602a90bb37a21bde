import { definePlugin, textOf } from "@gantry/sdk";
import type { Plugin, Provider, ProviderEvent } from "@gantry/sdk";

/** A model whose words a test says piece by piece, after the message `slowly`. */
export class ToldModel {
  readonly #pieces: (string | undefined)[] = [];
  #wake: () => void = () => {};
  readonly begun: Promise<void>;
  #begin: () => void = () => {};

  constructor() {
    this.begun = new Promise((resolve) => (this.#begin = resolve));
  }

  say(...pieces: readonly string[]): void {
    this.#pieces.push(...pieces);
    this.#wake();
  }

  end(): void {
    this.#pieces.push(undefined);
    this.#wake();
  }

  async *told(signal: AbortSignal): AsyncGenerator<string> {
    this.#begin();
    for (;;) {
      const piece = this.#pieces.length > 0 ? this.#pieces.shift() : null;
      if (piece === undefined) return;
      if (piece !== null) {
        yield piece;
        continue;
      }
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }
}

/** Answers that a message asks for by name, beside `slowly` and `run WORDS`. */
export type Answers = Readonly<Record<string, string>>;

/** Returns the plugin whose model answers, and calls the tool `paint` for `run WORDS`. */
export function toldProvider(model: ToldModel, answers: Answers): Plugin {
  const value: Provider = {
    name: "told",
    capabilities: { nativeToolCalling: true, vision: true, streaming: true },
    async *chat({ messages, signal }): AsyncGenerator<ProviderEvent> {
      const last = messages.at(-1);
      const said = textOf(last?.parts ?? []);
      const [, words] = last?.role === "user" ? (/\brun ([^]*)/.exec(said) ?? []) : [];
      if (last?.role === "user" && said.includes("slowly"))
        for await (const text of model.told(signal)) yield { type: "text", text };
      else if (words !== undefined) {
        const call = { id: `call-${messages.length}`, name: "paint", args: JSON.stringify({ words }) };
        yield { type: "tool_call", call };
      } else {
        const name = Object.keys(answers).find((one) => said.includes(one));
        const text = last?.role === "tool" ? "That is **painted**." : ((name && answers[name]) ?? "Heard.");
        for (const piece of text.match(/[^]{1,40}/g) ?? []) yield { type: "text", text: piece };
      }
      yield { type: "usage", inputTokens: 1_200, outputTokens: 340 };
      yield { type: "stop", reason: words === undefined ? "EndTurn" : "ToolUse" };
    },
    models: async () => ["told-1"],
  };
  return definePlugin({
    name: "provider-told",
    taps: ["resolveProvider"],
    setup: (host) => host.hooks.resolveProvider.tap(() => value),
  });
}
