import type { Message } from "./chat-state.ts";
import { Files } from "./files.tsx";
import { ToolCall } from "./tool-call.tsx";
import { Tree } from "./tree.tsx";
import { texts, timeOf } from "./texts.ts";

interface MessagesProps {
  readonly messages: readonly Message[];
  /** The number of messages from the first of them to the last of all. */
  readonly before: number;
  readonly all: readonly Message[];
}

/** Shows messages; the results of calls stand with their calls. */
export function Messages({ messages, before, all }: MessagesProps) {
  const results = new Map(
    all.flatMap((message) => (message.role === "tool" ? [[message.call ?? "", message] as const] : [])),
  );
  return (
    <>
      {messages.map((message, at) => (
        <One key={before - at} message={message} results={results} />
      ))}
    </>
  );
}

interface OneProps {
  readonly message: Message;
  readonly results: ReadonlyMap<string, Message>;
}

function One({ message, results }: OneProps) {
  const { role, text, at, files = [], calls = [], tree } = message;
  if (role === "tool") return <Files files={files} />;
  if (role === "user")
    return (
      <article class="said user" aria-label={texts.chat.you}>
        <Files files={files} />
        {text !== "" && <p class="plain-text">{text}</p>}
        {at !== undefined && <time dateTime={new Date(at).toISOString()}>{timeOf(at)}</time>}
      </article>
    );
  return (
    <article class="said" aria-label={texts.chat.agent}>
      {tree ? <Tree nodes={tree} /> : text !== "" && <p class="plain-text">{text}</p>}
      <Files files={files} />
      {calls.map(({ id, tool, args }) => {
        const result = results.get(id);
        const told = result && { result: result.text, decision: decisionOf(result) };
        return <ToolCall key={id} call={{ kind: "call", id, tool, args, ...told }} />;
      })}
    </article>
  );
}

/** Returns how a call ended: a result that was refused begins with the host's word for it. */
function decisionOf({ failed, text }: Message): string {
  if (failed !== true) return "allowed";
  return /^Refused \((?:[A-Z_0-9]+|no code)\):/.test(text) ? "refused" : "failed";
}
