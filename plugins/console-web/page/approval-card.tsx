import { useEffect, useRef } from "preact/hooks";
import { decide, type Asked } from "./approval-state.ts";
import { Diff } from "./diff.tsx";
import { Badge, useDeed, Wrong } from "./parts.tsx";
import { useStill } from "./still.ts";
import { texts, timeOf } from "./texts.ts";

const words = texts.approvals;

interface CardProps extends Asked {
  /** True for the question that gets the focus: on Deny, which changes nothing. */
  readonly takesFocus: boolean;
}

/** One question in the host's words. */
export function ApprovalCard({ question, end, takesFocus }: CardProps) {
  const { id, tool, preview, diff, lines, commands } = question;
  const { reasons, warnings, user, trust, expires } = question;
  return (
    <section
      class={`card approval${end ? " over" : ""}`}
      role={end ? "group" : "alertdialog"}
      aria-labelledby={`ask-${id}`}
      aria-describedby={`why-${id}`}
    >
      <h2 id={`ask-${id}`}>{words.question(tool)}</h2>
      <p class="quiet">
        {trust === undefined ? words.by(user) : words.cause(user, trust)} · {words.until(timeOf(expires))}
        {lines > 1 && ` · ${words.size(lines, commands)}`}
      </p>
      <pre class="preview" tabIndex={0}>
        {preview}
      </pre>
      {diff !== undefined && <Diff text={diff} />}
      <ul id={`why-${id}`} class="reasons">
        {warnings.map((warning) => (
          <li key={warning} class="warning">
            {warning}
          </li>
        ))}
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {end ? <Ended {...end} /> : <Choices question={question} takesFocus={takesFocus} />}
    </section>
  );
}

/** The buttons of a question. A press counts once they have stood still for a moment. */
function Choices({ question: { id, always }, takesFocus }: CardProps) {
  const deed = useDeed();
  const deny = useRef<HTMLButtonElement>(null);
  const { isStill, look } = useStill(deny, takesFocus);
  useEffect(() => {
    if (takesFocus && !isWriting()) deny.current?.focus();
  }, [takesFocus]);
  const button = (decision: "allow" | "always" | "deny") => ({
    type: "button" as const,
    "aria-disabled": !isStill.value,
    onClick: () => {
      if (look()) void deed.run(() => decide(id, decision));
    },
  });
  return (
    <>
      <Wrong deed={deed} />
      <div class="row">
        <button {...button("deny")} ref={deny}>
          {words.deny}
        </button>
        <button {...button("allow")} class="primary">
          {words.allow}
        </button>
        {always !== undefined && (
          <button {...button("always")} title={always}>
            {words.always}
          </button>
        )}
      </div>
    </>
  );
}

function Ended({ decision, by, reason }: NonNullable<Asked["end"]>) {
  const said = decision === undefined ? words.elsewhere : (words.decisions[decision] ?? decision);
  return (
    <p role="status">
      <Badge kind={decision === "allow" || decision === "always" ? "ok" : "plain"}>
        {words.over(said, by)}
      </Badge>{" "}
      {reason}
    </p>
  );
}

/** Nobody who writes loses the focus to a question. */
function isWriting(): boolean {
  const { activeElement: at } = document;
  return (at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement) && at.value !== "";
}
