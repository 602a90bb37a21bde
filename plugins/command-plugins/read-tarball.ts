import type { Sandbox } from "@gantry/sdk";
import { workApart } from "@gantry/sdk/node";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { MAX_FILES, refusals, type Refusal } from "./tarball.ts";

const bounds = { cpuSeconds: 60, memoryMb: 256 };
const only = { additionalProperties: false };
const file = Type.Tuple([Type.String(), Type.Integer({ minimum: 0 })]);
const answers = Type.Union([
  Type.Object({ files: Type.Array(file, { maxItems: MAX_FILES }) }, only),
  Type.Object({ refused: Type.Enum(Object.keys(refusals) as Refusal[]) }, only),
]);

export interface UnpackingPlace {
  /** The `import.meta.url` of the index, beside which the worker stands. */
  readonly base: string;
  readonly sandbox: Pick<Sandbox, "confining"> | undefined;
}

/**
 * Returns the plain files of a gzipped tar by path inside the package, unpacked in a process of its
 * own. Throws `PLUGINS_TARBALL` for whatever could write elsewhere.
 */
export async function readTarball(
  name: string,
  bytes: Uint8Array,
  { base, sandbox }: UnpackingPlace,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const place = { base, name: "tarball-worker", confining: sandbox?.confining };
  const answer = await workApart({ ...place, ...bounds, input: { facts: {}, bytes }, answers, signal });
  if (!answer) throw errors.PLUGINS_TARBALL(name, "it cannot be unpacked, or not in time");
  if ("refused" in answer.facts) throw errors.PLUGINS_TARBALL(name, refusals[answer.facts.refused]);
  const files = new Map<string, Uint8Array>();
  let at = 0;
  for (const [stated, length] of answer.facts.files) {
    const path = insideOf(stated);
    if (path === undefined) throw errors.PLUGINS_TARBALL(name, "a name in it leads out of the package");
    files.set(path, answer.bytes.subarray(at, (at += length)));
  }
  return files;
}

/**
 * Returns the path without its first folder, which is `package` for most; undefined if the name is
 * not one of a file inside.
 */
function insideOf(name: string): string | undefined {
  const parts = name.split("/").slice(1);
  const wrong =
    parts.length === 0 ||
    name.startsWith("/") ||
    /[\0\\]/.test(name) ||
    parts.some((part) => part === "" || part === "." || part === "..");
  return wrong ? undefined : parts.join("/");
}
