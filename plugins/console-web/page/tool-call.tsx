import type { Call } from "./live.ts";
import { Badge, Facts } from "./parts.tsx";
import { texts } from "./texts.ts";

const words = texts.chat;
const mostBrief = 90;

/** A call of a tool, folded: its name, what it was called with, and how it goes. */
export function ToolCall({ call }: { readonly call: Call }) {
  const { tool, args, progress, decision, result } = call;
  const isWrong = decision === "refused" || decision === "failed";
  const kind = isWrong ? "fail" : decision === undefined ? "busy" : "ok";
  return (
    <details class="call">
      <summary>
        <code>{tool}</code>
        <span class="brief">{progress ?? briefOf(args)}</span>
        <Badge kind={kind}>
          {decision === undefined ? words.runs : (words.decisions[decision] ?? decision)}
        </Badge>
      </summary>
      <h3>{words.arguments}</h3>
      <Arguments args={args} />
      {progress !== undefined && <p class="quiet">{progress}</p>}
      {result !== undefined && (
        <>
          <h3>{words.result}</h3>
          <pre tabIndex={0}>{result}</pre>
        </>
      )}
    </details>
  );
}

function Arguments({ args }: { readonly args: string }) {
  const fields = fieldsOf(args);
  return fields ? <Facts of={fields} /> : <pre tabIndex={0}>{args}</pre>;
}

/** Returns undefined for arguments of a model that are not an object. */
function fieldsOf(args: string): object | undefined {
  try {
    const given = JSON.parse(args) as unknown;
    return typeof given === "object" && given !== null ? given : undefined;
  } catch {
    return undefined;
  }
}

/** The first of the values that a tool was called with, in one line. */
function briefOf(args: string): string {
  const [first = ""] = Object.values(fieldsOf(args) ?? [args]);
  const text = typeof first === "string" ? first : JSON.stringify(first);
  return text.replaceAll(/\s+/g, " ").slice(0, mostBrief);
}
