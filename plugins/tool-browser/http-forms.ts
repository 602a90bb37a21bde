import type { WebField, WebForm } from "@gantry/sdk/fill";
import type { ViewElement } from "./browser.ts";
import { errors } from "./errors.ts";

const ROLES = { text: "textbox", choice: "combobox", check: "checkbox", radio: "radio", button: "button" };

interface FormElement extends ViewElement {
  readonly leadsTo: string;
  readonly method: string;
  /** All that a button sends. */
  readonly sends: string;
}

/**
 * The forms of one page as somebody fills them; fields are counted from 0, those that nobody sees
 * left out.
 */
export class HttpForms {
  readonly #fields: readonly { readonly field: WebField; readonly form: WebForm }[];
  /** The value that each field sends; undefined: nothing. */
  readonly #held = new Map<WebField, string | undefined>();

  constructor(forms: readonly WebForm[]) {
    const all = forms.flatMap((form) => form.fields.map((field) => ({ field, form })));
    this.#fields = all.filter(({ field }) => field.kind !== "hidden");
    for (const { field } of all) {
      const isMark = field.kind === "check" || field.kind === "radio";
      this.#held.set(field, isMark && !field.isChosen ? undefined : field.value);
    }
  }

  get elements(): readonly ViewElement[] {
    return this.#fields.map(({ field }) => {
      const { kind, label, options } = field;
      const held = this.#held.get(field);
      const role = ROLES[kind as keyof typeof ROLES];
      if (kind === "button") return { role, name: label };
      if (kind === "check" || kind === "radio")
        return { role, name: label, value: held === undefined ? "" : "checked" };
      if (kind === "text") return { role, name: label, value: held ?? "" };
      const chosen = options.find(({ value }) => value === held)?.label ?? "";
      return { role, name: label, value: `${chosen} of: ${options.map((one) => one.label).join(", ")}` };
    });
  }

  /**
   * Returns a field, and the address that its form is sent to, without what it holds; undefined if
   * there is no such field.
   */
  look(at: number): FormElement | undefined {
    const [found, element] = [this.#fields[at], this.elements[at]];
    if (!found || !element) return undefined;
    const { field, form } = found;
    const held = field.kind === "button" ? form.fields.map((one) => [one.name, this.#held.get(one)]) : [];
    return { ...element, leadsTo: form.url, method: form.method, sends: JSON.stringify(held) };
  }

  /** The address that a button asks for; undefined for fields that only take a mark. */
  click(at: number): string | undefined {
    const { field, form } = this.#fields[at]!;
    if (field.kind === "button") return this.#address(form, field);
    if (field.kind === "check")
      this.#held.set(field, this.#held.get(field) === undefined ? field.value : undefined);
    if (field.kind !== "radio") return undefined;
    for (const other of form.fields)
      if (other.kind === "radio" && other.name === field.name) this.#held.set(other, undefined);
    this.#held.set(field, field.value);
    return undefined;
  }

  /** The address that Enter asks for, where it is pressed. */
  type(at: number, text: string, submit: boolean): string | undefined {
    const { field, form } = this.#fields[at]!;
    if (field.kind !== "text") throw new Error("it takes no text");
    this.#held.set(field, text);
    return submit
      ? this.#address(
          form,
          form.fields.find(({ kind }) => kind === "button"),
        )
      : undefined;
  }

  select(at: number, wanted: string): void {
    const { field } = this.#fields[at]!;
    const option = field.options.find(({ label, value }) => label === wanted.trim() || value === wanted);
    if (!option) throw new Error(`there is no option ${wanted}`);
    this.#held.set(field, option.value);
  }

  #address({ url, method, fields }: WebForm, button: WebField | undefined): string {
    if (method !== "GET") throw errors.BROWSER_CANNOT(`send a form by ${method}`);
    const sent = fields.flatMap((field): [string, string][] => {
      const value = this.#held.get(field);
      const counts =
        field.name !== "" && value !== undefined && (field.kind !== "button" || field === button);
      return counts ? [[field.name, value]] : [];
    });
    const address = new URL(url);
    address.search = new URLSearchParams(sent).toString();
    return address.href;
  }
}
