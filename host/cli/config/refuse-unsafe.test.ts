import { chmod, chown, lchown, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry } from "../../../test/helpers/cli.ts";
import { tempDir } from "../../../test/helpers/temp-dir.ts";
import { Installation } from "../installation.ts";

const commands = [["agent", "-m", "hello"], ["status"], ["daemon"], ["config", "get", "default_model"]];

test.each(commands)(
  "SEC-20: `%s %s` does not start by a file that others can write, and says the cure",
  async (...args) => {
    using home = tempDir('default_model = "x"\n');
    await chmod(home.file, 0o666);
    expect(await gantry(args.filter(Boolean), { dir: home.dir })).toEqual({
      code: 2,
      out: "",
      err:
        `gantry: The configuration is not used, since somebody else may have changed ${home.file} (other users may write ` +
        `it): run \`chmod go-w ${home.file}\` and look through what is in it. [CONFIG_UNSAFE]\n`,
    });
  },
);

function opened(dir: string): Promise<string> {
  return new Installation(dir).open().then(
    () => "opened",
    (error: Error) => error.message,
  );
}

test.each([0o602, 0o620, 0o666])("SEC-20: a file of mode %o is refused", async (mode) => {
  using home = tempDir("");
  await chmod(home.file, mode);
  expect(await opened(home.dir)).toContain(`chmod go-w ${home.file}`);
  await chmod(home.file, 0o644);
  expect(await opened(home.dir)).toBe("opened");
});

test("SEC-20: a directory that others can write is refused, with and without a file in it", async () => {
  for (const toml of ["", undefined]) {
    using home = tempDir(toml);
    await chmod(home.dir, 0o777);
    expect(await opened(home.dir)).toContain(`chmod go-w ${home.dir}`);
    await chmod(home.dir, 0o755);
    expect(await opened(home.dir)).toBe("opened");
  }
});

test("SEC-20: a link is looked at where it leads, and so is the folder there", async () => {
  using home = tempDir("");
  const elsewhere = path.join(home.dir, "elsewhere");
  await mkdir(elsewhere);
  await rename(home.file, path.join(elsewhere, "real.toml"));
  await symlink(path.join(elsewhere, "real.toml"), home.file);
  expect(await opened(home.dir)).toBe("opened");
  await chmod(elsewhere, 0o777);
  expect(await opened(home.dir)).toContain(`chmod go-w ${elsewhere}`);
  await chmod(elsewhere, 0o700);
  await chmod(path.join(elsewhere, "real.toml"), 0o606);
  expect(await opened(home.dir)).toContain(`chmod go-w ${elsewhere}/real.toml`);
});

test("SEC-20: every folder on the way to the directory counts, past links and beside them", async () => {
  using home = tempDir(undefined);
  const [open, real, other] = ["open", "open/sub/real", "other"].map((name) => path.join(home.dir, name));
  await mkdir(real!, { recursive: true });
  await writeFile(path.join(real!, "config.toml"), "");
  await symlink(open!, other!);
  const ways = [real!, path.join(other!, "sub/real"), path.join(other!, "sub/../sub/real")];
  for (const way of ways) expect(await opened(way)).toBe("opened");
  await chmod(open!, 0o777);
  for (const way of ways) expect(await opened(way)).toContain(`chmod go-w ${open} `.trimEnd());
  await chmod(open!, 0o1777);
  for (const way of ways) expect(await opened(way)).toBe("opened");
  await chmod(real!, 0o1777);
  for (const way of ways) expect(await opened(way)).toContain(`chmod go-w ${real}`);
  await chmod(real!, 0o700);
  await chmod(home.dir, 0o770);
  for (const way of ways) expect(await opened(way)).toContain(`chmod go-w ${home.dir}`);
  await chmod(home.dir, 0o700);
});

test.runIf(process.getuid?.() === 0)(
  "SEC-20: a file or a directory of another user is refused; root's is trusted",
  async () => {
    using home = tempDir("");
    await chown(home.file, 12_345, 12_345);
    expect(await opened(home.dir)).toMatch(/it belongs to another user.*`chown 0 .*config\.toml`/);
    await chown(home.file, 0, 0);
    await chown(home.dir, 12_345, 12_345);
    expect(await opened(home.dir)).toContain("it belongs to another user");
  },
);

test.runIf(process.getuid?.() === 0)(
  "SEC-20: a link of another user leads nowhere that is used",
  async () => {
    using home = tempDir("");
    const link = path.join(home.dir, "link");
    await symlink(home.dir, link);
    expect(await opened(link)).toBe("opened");
    await lchown(link, 12_345, 12_345);
    expect(await opened(link)).toContain(`chown -h 0 ${link}`);
  },
);
