import { ApprovalCard } from "./approval-card.tsx";
import { questions } from "./approval-state.ts";
import type { Live, LiveItem } from "./live.ts";
import { Files } from "./files.tsx";
import { Busy } from "./parts.tsx";
import { QuestionCard } from "./question-card.tsx";
import { ToolCall } from "./tool-call.tsx";
import { texts } from "./texts.ts";

const words = texts.chat;

/** The turn that runs, step by step. */
export function LiveTurn({ live, isRunning }: { readonly live: Live; readonly isRunning: boolean }) {
  const asked = questions.value.filter(({ question }) => live.asked.includes(question.id));
  const first = asked.find(({ end }) => end === undefined)?.question.id;
  return (
    <>
      <article class="said user" aria-label={words.you}>
        <Files files={live.files} />
        {live.text !== "" && <p class="plain-text">{live.text}</p>}
      </article>
      <article class="said" aria-label={words.agent} aria-busy={isRunning}>
        {live.items.map((item, at) => (
          <Item key={at} item={item} />
        ))}
        {asked.map((one) => (
          <ApprovalCard key={one.question.id} {...one} takesFocus={one.question.id === first} />
        ))}
        {live.error !== undefined && (
          <p class="failed" role="alert">
            {texts.failed(live.error)}
          </p>
        )}
        {isRunning && <Busy text={first === undefined ? words.running : words.waits} />}
      </article>
    </>
  );
}

function Item({ item }: { readonly item: LiveItem }) {
  if (item.kind === "text") return <p class="plain-text">{item.text}</p>;
  return item.kind === "call" ? <ToolCall call={item} /> : <QuestionCard asked={item} />;
}
