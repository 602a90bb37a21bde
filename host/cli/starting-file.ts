import { stringify } from "smol-toml";
import type { TSchema } from "typebox";
import {
  findNode,
  isRecord,
  isTable,
  othersOf,
  recordValue,
  type LeafNode,
  type TableNode,
} from "@gantry/host";
import { leaves } from "./config/leaves.ts";

const head = `# Gantry's configuration. Every key stands here with its default, as a comment: remove the # to change one,
# and the # before its [table] where there is one.
# Strings may hold \${NAME}, which is taken from the environment. \`gantry config schema\` prints a schema for editors.
`;

/**
 * A first config.toml: nothing is set, everything is explained. Tables that would load a plugin of
 * their own are comments too.
 */
export function startingFile(schema: TableNode, base: ReadonlySet<string>): string {
  const lines: string[] = [head];
  const records: string[] = [];
  let table = "";
  for (const { key, leaf } of leaves(schema)) {
    if (isRecord(leaf.schema)) {
      records.push(...recordLines(key, leaf.schema));
      continue;
    }
    const at = key.split(".").slice(0, -1).join(".");
    if (at !== table) lines.push("", isLive(schema, at, base) ? `[${at}]` : `# [${at}]`);
    table = at;
    if (isLive(schema, at, base)) lines.push(...onlyWith(leaf, base));
    lines.push(...keyLines(key.split(".").at(-1) as string, leaf.schema));
  }
  return `${[...lines, ...records].join("\n")}\n`;
}

function isLive(schema: TableNode, table: string, base: ReadonlySet<string>): boolean {
  return [...(findNode(schema, table.split("."))?.owners ?? [])].some((owner) => base.has(owner));
}

/** A key that is unknown until another plugin is loaded, in a table that others read too. */
function onlyWith({ owners }: LeafNode, base: ReadonlySet<string>): string[] {
  return [...owners].some((owner) => base.has(owner))
    ? []
    : [`# Only where ${[...owners].join(" or ")} is loaded:`];
}

function keyLines(name: string, schema: TSchema): string[] {
  const { description, default: value } = schema as { description?: string; default?: unknown };
  const literal =
    value === undefined
      ? ""
      : stringify({ v: value })
          .trim()
          .replace(/^v\s*=\s*/, "");
  return [...(description ? [`# ${description}`] : []), `# ${name} = ${literal}`];
}

function recordLines(key: string, schema: TSchema): string[] {
  const value = recordValue(schema);
  if (!value || !isTable(value)) return ["", `# [${key}.<id>]`];
  const inner = Object.entries(value.properties as Record<string, TSchema>);
  const others = othersOf(value);
  if (others) inner.push([`<${String((others as { title?: string }).title)}>`, others]);
  return ["", `# [${key}.<id>]`, ...inner.flatMap(([name, child]) => keyLines(name, child))];
}
