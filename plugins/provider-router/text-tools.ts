import type { ChatMessage, ChatRequest, Provider, ProviderEvent, ToolUse } from "@gantry/sdk";
import { createCallParser, tagsOf } from "./call-parser.ts";
import type { Piece, Tags } from "./call-parser.ts";
import { asText, BROKEN } from "./text-form.ts";
import type { TagWords } from "./tag-words.ts";

/**
 * A provider without native tool calling, made to look as if it had it: calls are asked for and
 * read as text.
 */
export function withTextTools(provider: Provider, words: TagWords): Provider {
  return {
    name: provider.name,
    capabilities: { ...provider.capabilities, nativeToolCalling: true },
    chat: (request) => (usesTools(request) ? chat(provider, request, words) : provider.chat(request)),
  };
}

function usesTools({ tools, messages }: ChatRequest): boolean {
  return (
    tools.length > 0 ||
    messages.some(
      (message) => message.role === "tool" || (message.role === "assistant" && message.toolCalls.length > 0),
    )
  );
}

async function* chat(
  provider: Provider,
  request: ChatRequest,
  words: TagWords,
): AsyncGenerator<ProviderEvent, void> {
  const tags = tagsOf(await words.of(request.session));
  const messages: readonly ChatMessage[] = asText(request.messages, request.tools, tags);
  const reader = createReader(tags, callsIn(request.messages));
  for await (const event of provider.chat({ ...request, messages, tools: [] })) {
    if (event.type === "text") {
      // A piece that is held back is still a sign of life.
      const events = reader.push(event.text);
      yield* events.length > 0 ? events : [{ type: "text", text: "" } as const];
    } else if (event.type === "stop") {
      yield* reader.end(event.reason === "MaxTokens");
      yield { type: "stop", reason: reader.called() ? "ToolUse" : event.reason };
    } else yield event;
  }
}

/** Ids count on through the conversation, so that each is used once. */
function callsIn(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? message.toolCalls.length : 0),
    0,
  );
}

/**
 * Text before the first call is shown; text after it is not, since it can only be a guess at a
 * result.
 */
function createReader(
  tags: Tags,
  earlier: number,
): {
  push(text: string): ProviderEvent[];
  end(cut: boolean): ProviderEvent[];
  called(): boolean;
} {
  const parser = createCallParser(tags);
  let calls = 0;
  const shown = (piece: Piece): ProviderEvent[] => {
    if (piece.type === "text") return calls > 0 ? [] : [{ type: "text", text: piece.text }];
    const id = `text_${tags.word}_${earlier + ++calls}`;
    return [
      {
        type: "tool_call",
        call: piece.type === "call" ? { id, name: piece.name, args: piece.args } : broken(id, piece),
      },
    ];
  };
  return {
    push: (text) => parser.push(text).flatMap(shown),
    end: (cut) => parser.end(cut).flatMap(shown),
    called: () => calls > 0,
  };
}

/**
 * The arguments are not JSON on purpose: such a call can never run, and its result tells the model
 * why.
 */
function broken(id: string, piece: Extract<Piece, { type: "broken" }>): ToolUse {
  return { id, name: piece.name ?? "unreadable", args: `${BROKEN} (${piece.why}): ${piece.raw}` };
}
