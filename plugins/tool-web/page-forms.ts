import type { WebField, WebForm } from "@gantry/sdk/fill";

/** A form with more of them is not one that a person would fill. */
const MAX_FIELDS = 200;
const MAX_OPTIONS = 200;
/** Characters; one label may stand for many fields. */
const MAX_LABEL = 1_000;
const KINDS: Readonly<Record<string, WebField["kind"]>> = {
  select: "choice",
  checkbox: "check",
  radio: "radio",
  submit: "button",
  image: "button",
  hidden: "hidden",
};
/** These send nothing without a script or a file. */
const DEAD = new Set(["button", "reset", "file"]);

type Attributes = Readonly<Record<string, string>>;
interface Draft extends Omit<WebField, "options"> {
  label: string;
  value: string;
  /** A value that is not said is the label. */
  readonly options: { label: string; readonly value: string | undefined }[];
  readonly id: string | undefined;
}
interface Form extends Omit<WebForm, "fields"> {
  readonly fields: Draft[];
}

/** Gathers the forms of a page while its elements go by. */
export class PageForms {
  readonly #forms: Form[] = [];
  readonly #labels = new Map<string, string>();
  #form: Form | undefined;
  #label: { text: string; readonly id: string | undefined; readonly fields: Draft[] } | undefined;
  /** The choice, the long text or the button that what is read now stands in. */
  #within: Draft | undefined;
  #count = 0;

  open(tag: string, attributes: Attributes): void {
    if (tag === "label") this.#label = { text: "", id: attributes["for"], fields: [] };
    else if (tag === "form") {
      const { action: url = "", method = "get" } = attributes;
      this.#form = { url, method: method.toUpperCase(), fields: [] };
      this.#forms.push(this.#form);
    } else if (tag === "option" && this.#within && this.#within.options.length < MAX_OPTIONS) {
      if ("selected" in attributes) this.#within.value = String(this.#within.options.length);
      this.#within.options.push({ label: "", value: attributes["value"] });
    } else if (/^(?:input|select|textarea|button)$/.test(tag)) this.#field(tag, attributes);
  }

  text(text: string): void {
    const field = this.#within;
    if (!field) {
      if (this.#label) this.#label.text += text;
    } else if (field.kind === "text") field.value += text;
    else if (field.kind === "button") field.label += text;
    else if (field.options.length > 0) field.options.at(-1)!.label += text;
  }

  close(tag: string): void {
    if (tag === "form") this.#form = undefined;
    if (tag === "select" || tag === "textarea" || tag === "button") this.#within = undefined;
    if (tag !== "label" || !this.#label) return;
    const { id, text, fields } = this.#label;
    if (id !== undefined) this.#labels.set(id, text);
    for (const field of fields) field.label ||= text;
    this.#label = undefined;
  }

  /**
   * Those that lead to pages. `base`: against which relative addresses count; `page`: the page's
   * own.
   */
  all(base: string, page: string): readonly WebForm[] {
    return this.#forms.flatMap(({ url: action, method, fields }) => {
      const url = action.trim() === "" ? page : URL.parse(action, base)?.href;
      if (url === undefined || !/^https?:/.test(url) || fields.length === 0) return [];
      return [{ url, method, fields: fields.map((field) => this.#finished(field)) }];
    });
  }

  #field(tag: string, attributes: Attributes): void {
    const { type = tag === "button" ? "submit" : "text", name = "", value, id } = attributes;
    const word = tag === "select" || tag === "textarea" ? tag : type.toLowerCase();
    const isDead = DEAD.has(word) || "disabled" in attributes || "formaction" in attributes;
    if (!this.#form || isDead || "formmethod" in attributes || this.#count++ >= MAX_FIELDS) return;
    const kind = KINDS[word] ?? "text";
    const shown = tag === "input" && kind === "button" ? value : attributes["placeholder"];
    const field: Draft = {
      kind,
      name,
      id,
      label: attributes["aria-label"] ?? shown ?? "",
      value: value ?? (kind === "check" || kind === "radio" ? "on" : ""),
      isChosen: "checked" in attributes,
      options: [],
    };
    this.#form.fields.push(field);
    this.#label?.fields.push(field);
    if (tag !== "input") this.#within = field;
  }

  #finished({ id, ...field }: Draft): WebField {
    const options = field.options.map(({ label, value }) => ({
      label: flat(label),
      value: value ?? flat(label),
    }));
    const value = field.kind === "choice" ? (options[Number(field.value)]?.value ?? "") : field.value;
    const label = [field.label, this.#labels.get(id ?? "") ?? "", field.name].map(flat).find(Boolean) ?? "";
    return { ...field, label, options, value };
  }
}

const flat = (text: string): string => text.slice(0, MAX_LABEL).replace(/\s+/g, " ").trim();
