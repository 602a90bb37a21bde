import { randomUUID } from "node:crypto";
import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import {
  describeMedia,
  mediaBounds,
  type Media,
  type ToolCall,
  type TurnEvent,
  type TurnResult,
} from "@gantry/sdk";
import type { ToolCallUpdates } from "./tool-calls.ts";

/** One turn as an editor sees it. */
export class TurnUpdates {
  readonly #send: (update: SessionUpdate) => void;
  readonly #calls: ToolCallUpdates;
  #message: string | undefined;
  #thought: string | undefined;
  #isStreamed = false;

  constructor(calls: ToolCallUpdates, send: (update: SessionUpdate) => void) {
    this.#calls = calls;
    this.#send = send;
  }

  take(event: TurnEvent): void {
    if (event.type === "delta") {
      this.#isStreamed = true;
      this.say(event.text);
    } else if (event.type === "thought") {
      const content = { type: "text", text: event.text } as const;
      this.#thought ??= randomUUID();
      this.#send({ sessionUpdate: "agent_thought_chunk", messageId: this.#thought, content });
    } else if (event.type === "tool_call") {
      this.#thought = undefined;
      this.#message = undefined;
      this.#send(this.#calls.called(event));
    } else if (event.type === "tool_progress") this.#sendIf(this.#calls.step(event));
    else if (event.type === "tool_result") this.#sendIf(this.#calls.ended(event));
  }

  started(call: ToolCall): void {
    this.#sendIf(this.#calls.started(call));
  }

  /** Adds to what the agent says. */
  say(text: string): void {
    if (text !== "") this.#chunk({ type: "text", text });
  }

  /**
   * Tells what the events did not: an answer that was not streamed, files, calls that were cut off.
   */
  async end(
    { reply, files = [] }: Pick<TurnResult, "reply" | "files">,
    media: Media | undefined,
  ): Promise<void> {
    this.cut();
    if (!this.#isStreamed) this.say(reply);
    for (const file of files) {
      const isShown = file.mime.startsWith("image/") && file.bytes <= mediaBounds.image;
      const bytes = isShown ? await media?.open(file.id) : undefined;
      if (!bytes) this.say(`\n\n${describeMedia(file)}`);
      else this.#chunk({ type: "image", mimeType: file.mime, data: Buffer.from(bytes).toString("base64") });
    }
  }

  /** Ends the calls that the turn has left open. */
  cut(): void {
    for (const update of this.#calls.left()) this.#send(update);
  }

  #chunk(content: ContentBlock): void {
    this.#message ??= randomUUID();
    this.#send({ sessionUpdate: "agent_message_chunk", messageId: this.#message, content });
  }

  #sendIf(update: SessionUpdate | undefined): void {
    if (update) this.#send(update);
  }
}
