const NAME = /\.withheld-[\da-f]{12}(?:\.|$)/;

/** True for what was withheld and for what lies in it, until its owner gives it another name. */
export function isWithheld(relative: string): boolean {
  return relative.split("/").some((name) => NAME.test(name));
}
