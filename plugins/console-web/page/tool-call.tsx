import type { Call } from "./live.ts";
import { Badge } from "./parts.tsx";
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
      <pre tabIndex={0}>{args}</pre>
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

/** The first of the values that a tool was called with, in one line. */
function briefOf(args: string): string {
  try {
    const [first = ""] = Object.values(JSON.parse(args) as object);
    const text = typeof first === "string" ? first : JSON.stringify(first);
    return text.replaceAll(/\s+/g, " ").slice(0, mostBrief);
  } catch {
    return args.slice(0, mostBrief);
  }
}
