import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * The licences of all that is built into the code, read off its maps, and of the packages named:
 * they ask to be passed on with it.
 */
export function notices(built: string, more: readonly string[]): string {
  const found = new Set(more.map((name) => path.join("node_modules", name)));
  for (const file of readdirSync(built, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".map")) continue;
    const map = JSON.parse(readFileSync(path.join(built, file), "utf8")) as { sources: string[] };
    for (const source of map.sources) {
      const [, folder] =
        /(?:^|\/)(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
      if (folder) found.add(folder);
    }
  }
  const root = path.join(built, "../..");
  return [...found]
    .toSorted()
    .map((folder) => notice(path.join(root, folder)))
    .join("\n");
}

function notice(folder: string): string {
  if (!existsSync(path.join(folder, "package.json"))) return "";
  const facts = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Record<string, string>;
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  const text = licence ? readFileSync(path.join(folder, licence), "utf8").trim() : "";
  return `${facts["name"]} ${facts["version"]} (${facts["license"]})\n\n${text}\n`;
}
