/** Facts of an element that only the page's own document tells. */
export interface ElementFacts {
  readonly at: string;
  readonly leadsTo: string | null;
  readonly method: string | null;
  /** For a button that sends a form, with all that the form holds. */
  readonly state: string;
}

/**
 * Runs in the page, with `one` as the element. Members are taken from their prototypes, since
 * fields of a form that are called `action` or `elements` stand in for its own.
 */
export const ELEMENT_FACTS = `
  const own = (type, name, of) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(of);
  const link = one.closest("a[href], area[href]");
  const form = one.form instanceof HTMLFormElement ? one.form : null;
  const sends = (field) => field.type === "submit" || field.type === "image";
  const button = !form || sends(one) ? one : [...own(HTMLFormElement, "elements", form)].find(sends);
  const from = (name, of) => button?.hasAttribute("form" + name) ? button["form" + of] : own(HTMLFormElement, name, form);
  const types = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement];
  const held = (field) => {
    const type = types.find((type) => field instanceof type);
    const of = type === HTMLSelectElement ? ["name", "disabled"] : ["name", "value", "disabled"];
    const chosen = type === HTMLSelectElement ? [...own(type, "selectedOptions", field)].map((option) => option.value) : [];
    return type ? [...of.map((name) => own(type, name, field)), type === HTMLInputElement && own(type, "checked", field), chosen] : [];
  };
  const sent = form && sends(one) ? JSON.stringify([...own(HTMLFormElement, "elements", form)].map(held)) : "";
  return {
    at: document.URL,
    leadsTo: form ? from("action", "Action") : link ? String(link.href) : null,
    method: form ? from("method", "Method").toUpperCase() : null,
    state: [one.localName, one.type, one.checked, sent].join(" "),
  };
`;
