import { assert, property, stringMatching } from "fast-check";
import * as Value from "typebox/value";
import { expect, test } from "vitest";
import { fileNames } from "./file-names.ts";
import { securityKeys } from "./security-config.ts";

const defaults = (key: "secret_files" | "guarded_files"): readonly string[] =>
  Value.Create(securityKeys[key]) as readonly string[];
const secret = fileNames(defaults("secret_files"), { copies: true });
const guarded = fileNames(defaults("guarded_files"));

test("SEC-15: names fit in any folder, with what lies beneath, and can be taken out again", () => {
  const secrets = [
    ".env",
    "a/.env",
    ".env.local",
    "deep/er/key.pem",
    "id_rsa",
    ".env.d/file",
    "a\nb/.env",
    ".ENV",
    "Key.PEM",
  ];
  const open = [".env.example", "a/.env.sample", "env", "x.env", "pem", "key.pem.txt", "id_rsa.pub", ""];
  expect(secrets.filter((file) => !secret(file))).toEqual([]);
  expect(open.filter((file) => secret(file))).toEqual([]);
  const settings = [
    ".git/hooks",
    "sub/.git/hooks/pre-commit",
    ".git/config",
    ".vscode/tasks.json",
    ".bashrc",
  ];
  expect(settings.filter((file) => !guarded(file))).toEqual([]);
  expect(
    [".git", ".git/index", "package.json", "Makefile", "hooks", "git/config"].filter((file) => guarded(file)),
  ).toEqual([]);
});

const copies = (name: string): readonly string[] => [
  `${name}~`,
  `#${name}#`,
  `.#${name}`,
  `.${name}.swp`,
  `.${name}.aB3xYz`,
  `${name}.bak`,
  `${name}.tmp-12`,
  `${name}.4711`,
  `${name}___jb_tmp___`,
];

test("SEC-15: what editors leave beside a secret file is secret, and beside another it is not", () => {
  const all = [".env", "a/b/key.pem"].flatMap((file) =>
    copies(file.split("/").at(-1)!).map((copy) => file.replace(/[^/]+$/, copy)),
  );
  expect(all.filter((file) => !secret(file))).toEqual([]);
  expect(copies("main.ts").filter((file) => secret(file))).toEqual([]);
});

test("SEC-15: every sign but the star stands for itself", () => {
  const name = stringMatching(/^[^/*!\0][^/*\0]{0,12}$/);
  assert(
    property(name, name, (listed, other) => {
      expect(fileNames([listed])(listed)).toBe(true);
      expect(fileNames([listed])(`folder/${listed}/file`)).toBe(true);
      expect(fileNames([listed])(other)).toBe(other.toUpperCase() === listed.toUpperCase());
      expect(fileNames([`${listed}*`])(`${listed}${other}`)).toBe(true);
    }),
  );
});
