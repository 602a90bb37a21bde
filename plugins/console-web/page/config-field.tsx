import { choicesOf, kindOf, shown, type Leaf } from "./config-schema.ts";
import { texts } from "./texts.ts";

const words = texts.config;

interface FieldProps {
  readonly leaf: Leaf;
  /** As it counts now. */
  readonly value: unknown;
  readonly isChanged: boolean;
  readonly change: (value: unknown) => void;
}

/** One key with its words, and what its schema lets somebody put there. */
export function Field({ leaf, value, isChanged, change }: FieldProps) {
  const { key, schema } = leaf;
  const id = `key-${key}`;
  const isDefault = schema.default !== undefined && shown(schema.default) !== shown(value);
  return (
    <div class={`key-row${isChanged ? " changed" : ""}`}>
      <div>
        <label for={id}>
          <code>{key}</code>
        </label>
        <p class="quiet" id={`${id}-says`}>
          {schema.description} {isDefault && words.defaults(shown(schema.default))}
        </p>
      </div>
      <Input id={id} leaf={leaf} value={value} change={change} />
    </div>
  );
}

type InputProps = Pick<FieldProps, "leaf" | "value" | "change"> & { readonly id: string };

function Input({ id, leaf, value, change }: InputProps) {
  const { schema } = leaf;
  const named = { id, "aria-describedby": `${id}-says` };
  switch (kindOf(leaf, value)) {
    case "switch":
      return (
        <input
          {...named}
          type="checkbox"
          role="switch"
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case "choice":
      return (
        <select {...named} value={shown(value)} onChange={(event) => change(event.currentTarget.value)}>
          {value === undefined && <option value="">{words.unset}</option>}
          {choicesOf(schema)?.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      );
    case "number":
      return (
        <input
          {...named}
          type="number"
          step={schema.type === "integer" ? 1 : "any"}
          min={schema.minimum ?? ""}
          max={schema.maximum ?? ""}
          value={shown(value)}
          placeholder={words.unset}
          onChange={({ currentTarget: at }) => change(at.value === "" ? undefined : at.valueAsNumber)}
        />
      );
    case "text":
      return (
        <input
          {...named}
          value={shown(value)}
          placeholder={words.unset}
          onChange={({ currentTarget: at }) => change(at.value === "" ? undefined : at.value)}
        />
      );
    case "lines":
      return (
        <textarea
          {...named}
          rows={Math.min(6, shown(value).split("\n").length + 1)}
          placeholder={words.lines}
          value={shown(value)}
          onChange={({ currentTarget: at }) => change(at.value.split("\n").filter((line) => line !== ""))}
        />
      );
    case "secret":
      return <output {...named}>{words.secret}</output>;
    default:
      return (
        <output {...named} title={words.table}>
          {value === undefined ? words.unset : shown(value).slice(0, 300)}
        </output>
      );
  }
}
