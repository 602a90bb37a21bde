/** A file that a thread or a process starts from: from source TypeScript, which Node strips, else what the build made of it. */
export interface Entry {
  readonly url: URL;
  /** What Node must be told to read it. */
  readonly nodeArgs: readonly string[];
}

/** `base`: a file of the plugin, beside which the entry stands. */
export function entryBeside(base: string, name: string): Entry {
  const source = base.endsWith(".ts");
  return {
    url: new URL(`./${name}.${source ? "ts" : "js"}`, base),
    nodeArgs: source ? ["--conditions=gantry-source"] : [],
  };
}
