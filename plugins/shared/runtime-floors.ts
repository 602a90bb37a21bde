/** A hole of older Nodes. One Node may be open to several. */
export interface RuntimeHole {
  /** Its CVE numbers, or the name and day it goes by. */
  readonly ids: readonly string[];
  /** The first version of each line without the hole. A line that is not here never had it. */
  readonly fixed: readonly string[];
  /** The danger to which a Node with the hole is open. */
  readonly opens: string;
  /** Gantry's measure on such a Node. */
  readonly meanwhile: string;
}

/** Runtime floors, one table: the floor of a line is the newest version that a row names for it. */
export const runtimeHoles: readonly RuntimeHole[] = [
  {
    ids: ["CVE-2026-111497"],
    fixed: ["22.23.4", "24.22.1", "26.12.1"],
    opens: "code of whoever sends a body packed with Brotli 1.2.0",
    meanwhile: "Gantry neither asks for Brotli nor decodes it.",
  },
  {
    ids: ["eMudhra (20 Oct 2026)"],
    fixed: ["22.23.4", "24.22.1", "26.12.1"],
    opens: "certificates of authorities whose private keys are public",
    meanwhile: "TLS trusts the operating system's list, which its updates keep current.",
  },
  {
    ids: ["CVE-2026-105483"],
    fixed: ["24.22.1", "26.12.1"],
    opens: "a certificate for another name, when an IPv4 address has fullwidth digits",
    meanwhile: "Addresses are read as URLs, which have one spelling; a mail server's is not.",
  },
  {
    ids: ["CVE-2026-106069", "CVE-2026-106072"],
    fixed: ["22.23.4", "24.22.1", "26.12.1"],
    opens: "a certificate for another address, when an IPv4 address is oddly spelled",
    meanwhile: "Addresses are read as URLs, which have one spelling; a mail server's is not.",
  },
  {
    ids: ["CVE-2026-105482"],
    fixed: ["22.23.4", "24.22.1", "26.12.1"],
    opens: "a name with a NUL that dns.resolve cuts short",
    meanwhile: "Gantry does not use dns.resolve.",
  },
  {
    ids: ["CVE-2026-105481"],
    fixed: ["22.23.4", "24.22.1", "26.12.1"],
    opens: "an answer that was sent before its request, on a connection that http.Agent kept",
    meanwhile: "Models, channels and pages are not asked through http.Agent.",
  },
];

/** The table's verdict on one Node. */
export interface RuntimeVerdict {
  /** `unsupported`: its line is not patched any more. `unknown`: not a version. */
  readonly state: "patched" | "old" | "unsupported" | "unknown";
  /** Empty if, and only if, `state` is `patched`. */
  readonly holes: readonly RuntimeHole[];
  /** The floor to install: of the same line, else of the next supported one. */
  readonly install: string;
  /** Follows "Node X is"; without a full stop. */
  readonly said: string;
}

type Version = readonly [number, number, number];

/** Judges a version of Node, with or without its `v`. A pre-release is older than its release. */
export function runtimeVerdict(version: string): RuntimeVerdict {
  const floors = runtimeFloors();
  const newest = floors.at(-1)!;
  const read = versionOf(version);
  if (!read) return verdict("unknown", runtimeHoles, newest);
  const [line] = read.numbers;
  const floor = floors.find((one) => lineOf(one) >= line);
  if (floor === undefined) return { state: "patched", holes: [], install: newest, said: "patched" };
  if (lineOf(floor) !== line) return verdict("unsupported", runtimeHoles, floor);
  const holes = runtimeHoles.filter(({ fixed }) =>
    fixed.some((first) => lineOf(first) === line && isBelow(read, first)),
  );
  if (holes.length === 0) return { state: "patched", holes, install: floor, said: "patched" };
  return verdict("old", holes, floor);
}

/** Returns the oldest version of each supported line that has no hole, oldest line first. */
export function runtimeFloors(): readonly string[] {
  const floors = new Map<number, string>();
  for (const version of runtimeHoles.flatMap(({ fixed }) => fixed)) {
    const known = floors.get(lineOf(version));
    if (known === undefined || isBelow(versionOf(known)!, version)) floors.set(lineOf(version), version);
  }
  return [...floors.values()].toSorted((a, b) => lineOf(a) - lineOf(b));
}

const reasons = {
  old: "",
  unsupported: "of a line that is not patched any more, ",
  unknown: "without a version that can be read, ",
};

function verdict(
  state: keyof typeof reasons,
  holes: readonly RuntimeHole[],
  install: string,
): RuntimeVerdict {
  const [first = "", ...more] = holes.flatMap(({ ids }) => ids);
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  return { state, holes, install, said: `${reasons[state]}open to ${first}${others}` };
}

function lineOf(version: string): number {
  return versionOf(version)!.numbers[0];
}

function versionOf(text: string): { readonly numbers: Version; readonly early: boolean } | undefined {
  const [, major, minor, patch, early] =
    /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[\w.-]+)?(?:\+[\w.-]+)?$/.exec(text) ?? [];
  if (patch === undefined) return undefined;
  return { numbers: [Number(major), Number(minor), Number(patch)], early: early !== undefined };
}

function isBelow({ numbers, early }: { numbers: Version; early: boolean }, floor: string): boolean {
  const than = versionOf(floor)!.numbers;
  const at = numbers.findIndex((number, i) => number !== than[i]);
  return at < 0 ? early : numbers[at]! < than[at]!;
}
