import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { decide, type Asked } from "./approval-state.ts";
import { Diff } from "./diff.tsx";
import { asFailure, Badge } from "./parts.tsx";
import { texts, timeOf } from "./texts.ts";

const words = texts.approvals;

interface CardProps extends Asked {
  /** True for the question that gets the focus: on Deny, which changes nothing. */
  readonly takesFocus: boolean;
}

/** One question in the host's words. */
export function ApprovalCard({ question, end, takesFocus }: CardProps) {
  const { id, tool, preview, diff, reasons, warnings, always, user, trust, expires } = question;
  const failure = useSignal("");
  const deny = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus && !isWriting()) deny.current?.focus();
  }, [takesFocus]);
  const say = (decision: "allow" | "always" | "deny") => () => {
    decide(id, decision).catch((error: unknown) => (failure.value = asFailure(error).message));
  };
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
      {failure.value !== "" && <p role="alert">{texts.failed(failure.value)}</p>}
      {end ? (
        <Ended {...end} />
      ) : (
        <div class="row">
          <button type="button" ref={deny} onClick={say("deny")}>
            {words.deny}
          </button>
          <button type="button" class="primary" onClick={say("allow")}>
            {words.allow}
          </button>
          {always !== undefined && (
            <button type="button" title={always} onClick={say("always")}>
              {words.always}
            </button>
          )}
        </div>
      )}
    </section>
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
