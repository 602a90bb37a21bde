import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./helpers/cli.ts";
import { packed } from "./helpers/package.ts";

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const scripts = (JSON.parse(read("package.json")) as { scripts: Readonly<Record<string, string>> }).scripts;

/** Pages for people who read or change the project, by their paths from the root. */
const pages = [
  "README.md",
  ...[
    ".github",
    "host",
    "sdk",
    "sdk/docs",
    "test",
    "test/bench",
    ...folders("plugins"),
    ...folders("examples"),
  ]
    .flatMap((folder) => readdirSync(path.join(root, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith(".md")),
];

function folders(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);
}

/** Returns a page without its samples, whose brackets are not links. */
function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

test("HSE-04: each link of a page to a file of the project leads somewhere", () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(path.join(root, path.dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test("HSE-04: the first page has at most 150 lines and leads to each plugin's page", () => {
  const first = read("README.md");
  expect(first.split("\n").length).toBeLessThanOrEqual(151);
  const unlinked = pages.filter((page) => page.startsWith("plugins/") && !first.includes(`](${page})`));
  // The worker is a piece of the host's walk, whose page leads to it.
  expect(unlinked).toEqual(["plugins/inbox-worker/README.md"]);
});

test("HSE-04: each script that a page tells to run exists", () => {
  const unknown = pages.flatMap((page) =>
    [...read(page).matchAll(/`npm run (?:-s |--silent )?([\w:-]+)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !(name in scripts))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test("HSE-04: the workflow runs .ci/run as root and as an ordinary user", () => {
  const { jobs } = parse(read(".github/workflows/ci.yml")) as {
    jobs: { linux: { strategy: { matrix: { include: { user: string }[] } }; steps: { run?: string }[] } };
  };
  const users = jobs.linux.strategy.matrix.include.map(({ user }) => user);
  expect(new Set(users)).toEqual(new Set(["root", "runner"]));
  expect(jobs.linux.steps.filter(({ run }) => run?.includes(".ci/run"))).toHaveLength(2);
});

test("HSE-04: a package carries the list of changes and the page of each subject", () => {
  const files = execFileSync("tar", ["-tzf", packed()]).toString().split("\n");
  const subjects = pages.filter((page) => /^(?:plugins|host)\//.test(page));
  expect(subjects.filter((page) => !files.includes(`package/${page}`))).toEqual([]);
  expect(files).toContain("package/host/CHANGELOG.md");
});
