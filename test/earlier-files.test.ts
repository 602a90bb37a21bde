import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { effective } from "../host/cli/config/effective.ts";
import { Installation } from "../host/cli/installation.ts";
import { gantry } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

function words(...lines: readonly string[]): readonly string[] {
  return lines.join(" ").split(" ");
}

/**
 * The defaults on which an earlier file that does not name these keys relies. A change here is a
 * new default for everyone: state it in the release notes.
 */
const defaults: Readonly<Record<string, unknown>> = {
  "agent.autonomy_level": "semi-autonomous",
  "security.auto_approve_tools": [
    "file_read",
    "file_list",
    "file_search",
    "file_find",
    "memory_recall",
    "tool_search",
    "send_file",
    "skill",
    "goal_verdict",
  ],
  "security.require_approval_tools": ["shell", "file_write", "file_edit", "browser"],
  "security.shell_enabled": true,
  "security.file_write_enabled": true,
  "security.browser_enabled": false,
  "security.blocked_commands": words(
    "sudo su doas mkfs dd shutdown reboot poweroff halt mount umount insmod rmmod modprobe chroot nsenter unshare iptables nft",
    "passwd useradd userdel crontab",
  ),
  "security.blocked_paths": words(
    "~/.ssh ~/.gnupg ~/.aws ~/.config/gcloud ~/.kube ~/.docker ~/.netrc ~/.gemini /etc/shadow",
  ),
  "security.allowed_domains": [],
  "security.max_actions_per_hour": 100,
  "security.max_actions_per_day": 500,
  "security.rate_limit_per_minute": 30,
  "security.redact_pii": true,
  "security.audit": {
    enabled: true,
    log_tool_calls: true,
    log_security_events: true,
    log_path: "audit.jsonl",
    log_retention_days: 30,
  },
  "security.sandboxing.allowed_write_paths": ["$WORKSPACE"],
  "gateway.require_pairing": true,
  "gateway.pairing_code_length": 6,
  "gateway.pairing_timeout_minutes": 10,
  "gateway.host": "127.0.0.1",
  "gateway.trusted_proxies": [],
  "gateway.allowed_hosts": [],
};

test("CFG-07: a file that names no guard relies on these defaults, so none of them changes unnoticed", async () => {
  using home = tempDir("");
  const { config } = await new Installation(home.dir).open();
  const found = Object.keys(defaults).map((key) => [key, effective(config, key)]);
  expect(Object.fromEntries(found)).toEqual(defaults);
});

const calls: readonly (readonly [tool: string, args: object])[] = [
  ["file_read", { path: "notes.txt" }],
  ["file_read", { path: "/etc/passwd" }],
  ["file_write", { path: "notes.txt", content: "x" }],
  ["memory_store", { text: "x" }],
  ["shell", { command: "ls" }],
  ["shell", { command: "sudo ls" }],
  ["shell", { command: "git push" }],
  ["shell", { command: "curl http://example.com" }],
];

test.each<[file: string, toml: string, decisions: readonly string[]]>([
  [
    "that sets nothing",
    "",
    [
      "allow",
      "refuse PATH_OUTSIDE",
      "ask AUTONOMY_LISTED",
      "ask AUTONOMY_UNLISTED",
      "ask AUTONOMY_LISTED",
      "refuse COMMAND_BLOCKED",
      "ask AUTONOMY_LISTED",
      "refuse NET_BLOCKED",
    ],
  ],
  [
    "for an autonomous agent",
    '[agent]\nautonomy_level = "autonomous"\n',
    [
      "allow",
      "refuse PATH_OUTSIDE",
      "allow",
      "allow",
      "allow",
      "refuse COMMAND_BLOCKED",
      "allow",
      "refuse NET_BLOCKED",
    ],
  ],
  [
    "with guards of its own",
    '[agent]\nautonomy_level = "supervised"\n[security]\nblocked_commands = ["sudo", "git push"]\nfile_write_enabled = false\n',
    [
      "ask AUTONOMY_SUPERVISED",
      "refuse PATH_OUTSIDE",
      "refuse AUTONOMY_OFF",
      "ask AUTONOMY_SUPERVISED",
      "ask AUTONOMY_SUPERVISED",
      "refuse COMMAND_BLOCKED",
      "refuse COMMAND_BLOCKED",
      "refuse NET_BLOCKED",
    ],
  ],
])("SEC-01: a file of version 0.1 %s still decides as it did", async (_, toml, decisions) => {
  using home = tempDir(toml);
  const batch = path.join(home.dir, "calls");
  writeFileSync(batch, calls.map(([tool, args]) => JSON.stringify({ tool, args })).join("\n"));
  const { out, err } = await gantry(["policy", "explain", "--batch", batch, "--json"], { dir: home.dir });
  const said = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { decision: string; code?: string })
    .map(({ decision, code }) => (code ? `${decision} ${code}` : decision));
  expect([err, said]).toEqual(["", decisions]);
});
