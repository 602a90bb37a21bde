import { readdirSync, renameSync } from "node:fs";
import path from "node:path";
import { processIdentity, shortHash } from "@gantry/sdk/node";
import { expect, test } from "vitest";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { RunNotes } from "./service/run-notes.ts";

test("SEC-15: a run that another service has lost is looked after by whoever comes next; one that goes on there is left alone", () => {
  using folder = tempDir();
  const workspace = "/w";
  const left = () => new RunNotes(folder.dir, workspace).left();
  new RunNotes(folder.dir, workspace).begin(undefined);
  const notes = path.join(folder.dir, shortHash(workspace));
  const rename = (to: (name: string) => string): void => {
    const [name = ""] = readdirSync(notes);
    renameSync(path.join(notes, name), path.join(notes, to(name)));
  };
  const other = `${process.ppid}-${shortHash(processIdentity(process.ppid))}`;
  rename((name) => name.replace(`${process.pid}-${shortHash(processIdentity(process.pid))}`, other));
  expect([readdirSync(notes)[0]?.startsWith(other), left()]).toEqual([true, []]);
  rename((name) => `${name}.lost`);
  const [lost] = left();
  expect(lost?.before).toEqual({ wasHeld: false, held: [], kept: [] });
  lost?.forget();
  expect(left()).toEqual([]);
});
