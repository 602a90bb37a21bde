import type { Plugin } from "@gantry/sdk";
import chat from "../../plugins/provider-chat-completions/index.ts";
import genlang from "../../plugins/provider-genlang/index.ts";
import messages from "../../plugins/provider-messages/index.ts";

const url = "http://model.test/v1";

/** A format of requests: who speaks it, and what is configured so that it does. */
export interface Format {
  readonly provider: string;
  /** The name of its table below `providers`. */
  readonly table: string;
  readonly plugin: Plugin;
  readonly config: object;
}

/** Every format, each with a server at `model.test`. */
export const formats = {
  chat: { provider: `custom:${url}`, table: "custom", plugin: chat, config: {} },
  responses: {
    provider: `custom:${url}`,
    table: "custom",
    plugin: chat,
    config: { provider_api: "responses", default_provider: `custom:${url}` },
  },
  messages: {
    provider: "messages-custom:http://model.test",
    table: "messages-custom",
    plugin: messages,
    config: {},
  },
  genlang: {
    provider: "genlang",
    table: "genlang",
    plugin: genlang,
    config: { default_provider: "genlang", api_key: "k", endpoints: { genlang_url: url } },
  },
} satisfies Readonly<Record<string, Format>>;
export type FormatName = keyof typeof formats;

/** An answer in every format at once. */
export const answerInEveryFormat = {
  choices: [{ message: { content: "ok" }, finish_reason: "stop" }],
  object: "response",
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "ok" }] }],
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  candidates: [{ content: { parts: [{ text: "ok" }] }, finishReason: "STOP" }],
};
