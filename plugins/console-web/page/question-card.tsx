import { useSignal } from "@preact/signals";
import type { FormField, ToolAsk } from "./live.ts";
import { submitted, useDeed, Wrong } from "./parts.tsx";
import { ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.chat;

type Value = string | number | boolean;

/** A question of a tool, which its person answers in words or by its form. */
export function QuestionCard({ asked }: { readonly asked: ToolAsk }) {
  const { id, text, form, url, isOver } = asked;
  const typed = useSignal("");
  const given = useSignal<Readonly<Record<string, Value>>>(form ? firstOf(form.properties) : {});
  const deed = useDeed();
  const send = (body: object) => ask("POST", `/api/questions/${id}`, body);
  const answer = () => send({ answer: form ? given.value : typed.value });
  return (
    <form class="card question" aria-label={words.asks} onSubmit={submitted(deed, answer)}>
      <p class="plain-text" id={`says-${id}`}>
        {text}
      </p>
      {url !== undefined && isWeb(url) && (
        <p>
          <a href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        </p>
      )}
      {!form && (
        <input
          aria-labelledby={`says-${id}`}
          value={typed}
          disabled={isOver}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      )}
      {Object.entries(form?.properties ?? {}).map(([name, field]) => (
        <label key={name}>
          <span>{field.description ?? name}</span>
          <Answer
            field={field}
            value={given.value[name]}
            isRequired={form?.required?.includes(name) === true}
            isOver={isOver}
            change={(value) => (given.value = withValue(given.value, name, value))}
          />
        </label>
      ))}
      <Wrong deed={deed} />
      <div class="row">
        <button
          type="button"
          disabled={isOver}
          onClick={() => void deed.run(() => send({ action: "decline" }))}
        >
          {words.decline}
        </button>
        <button class="primary" disabled={isOver}>
          {words.answer}
        </button>
      </div>
    </form>
  );
}

interface AnswerProps {
  readonly field: FormField;
  readonly value: Value | undefined;
  readonly isRequired: boolean;
  readonly isOver: boolean;
  readonly change: (value: Value | undefined) => void;
}

function Answer({ field, value, isRequired, isOver, change }: AnswerProps) {
  const all = { disabled: isOver, required: isRequired };
  if (field.type === "boolean")
    return (
      <input
        type="checkbox"
        disabled={isOver}
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    );
  if (field.enum)
    return (
      <select
        {...all}
        value={String(value ?? "")}
        onChange={(event) => change(event.currentTarget.value || undefined)}
      >
        <option value="" />
        {field.enum.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  if (field.type === "string")
    return (
      <input
        {...all}
        value={String(value ?? "")}
        onInput={(event) => change(event.currentTarget.value || undefined)}
      />
    );
  return (
    <input
      {...all}
      type="number"
      step={field.type === "integer" ? 1 : "any"}
      value={String(value ?? "")}
      onInput={({ currentTarget: { value: written } }) =>
        change(written === "" ? undefined : Number(written))
      }
    />
  );
}

/** Returns what stands in the form before anybody has touched it: an empty box is a no. */
function firstOf(fields: Readonly<Record<string, FormField>>): Readonly<Record<string, Value>> {
  const boxes = Object.entries(fields).filter(([, { type }]) => type === "boolean");
  return Object.fromEntries(boxes.map(([name]) => [name, false]));
}

function withValue(
  all: Readonly<Record<string, Value>>,
  name: string,
  value: Value | undefined,
): Readonly<Record<string, Value>> {
  const { [name]: _, ...others } = all;
  return value === undefined ? others : { ...others, [name]: value };
}

/** True if an address is one that a page may link to. */
function isWeb(url: string): boolean {
  return /^https?:\/\//.test(url);
}
