import { Type } from "typebox";
import { guardedNames } from "./guarded-names.ts";

const paths = (value: readonly string[], description: string) =>
  Type.Array(Type.String(), { default: [...value], description });
const toggle = (value: boolean, description: string) => Type.Boolean({ default: value, description });

/** Keys of `[agent]` that more than one plugin reads, stated once. */
export const agentKeys = {
  autonomy_level: Type.Union(
    [Type.Literal("supervised"), Type.Literal("semi-autonomous"), Type.Literal("autonomous")],
    {
      default: "semi-autonomous",
      description:
        "supervised: every tool call asks; semi-autonomous: what is in auto_approve_tools runs, the rest asks; autonomous: nothing asks.",
    },
  ),
};

/** Keys of `[security]` that more than one plugin reads, stated once. */
export const securityKeys = {
  allow: Type.Array(Type.String({ minLength: 1 }), {
    default: [],
    description:
      "What needs no question, as `tool: pattern` or a tool's name alone: `shell: git status` (exactly these words; in arguments `*` stands for any characters of a word, and at the end for any further words, but for no option that the rule does not name, and a program that starts others or runs code, such as make, sed or env, takes a rule without `*`), `file_edit: src/**`, `web_fetch: https://*.example.com/*` (scheme, host, port and path each by itself), `mcp: github_*`. A shell line is covered if each of its commands is and it is nothing but commands; one that is fed by another needs a rule with the pipe before it: `shell: | head *`. Lifts questions, never a refusal; supervised asks all the same.",
  }),
  blocked_paths: paths(
    [
      "~/.ssh",
      "~/.gnupg",
      "~/.aws",
      "~/.config/gcloud",
      "~/.kube",
      "~/.docker",
      "~/.netrc",
      "~/.gemini",
      "/etc/shadow",
    ],
    "Paths that no tool may touch; all of <config_dir> but the workspace is always among them.",
  ),
  blocked_commands: paths(
    (
      "sudo su doas mkfs dd shutdown reboot poweroff halt mount umount insmod rmmod modprobe " +
      "chroot nsenter unshare iptables nft passwd useradd userdel crontab"
    ).split(" "),
    "Commands that never run, wherever they stand on a command line; an entry is a name, or a name with its first arguments. Where there are kernel walls a name holds for what other programs start too.",
  ),
  secret_files: paths(
    [
      ".env",
      ".env.*",
      "!.env.example",
      "!.env.sample",
      "*.pem",
      "*.key",
      "*.p12",
      "id_rsa",
      "id_ed25519",
      ".netrc",
    ],
    "Files of the workspace that no tool reads or changes, by whatever name, in any folder, and the copies that editors keep beside them. * stands for any part of a name; a leading ! takes names out again. What holds credentials by custom (.npmrc, .aws, credentials.json, …) is always among them, unless a ! takes it out.",
  ),
  guarded_files: paths(
    guardedNames,
    "Settings of the workspace that start programs for whoever works there, and what an agent is told there (AGENTS.md), which no tool changes, in any folder; written as secret_files are. What git takes for a repository counts as .git, whatever it is called; the hooks and files that its settings name count too, and what would start a program when a rebase goes on.",
  ),
  workspace_path: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The directory that tools work in. Default: <config_dir>/workspace.",
    }),
  ),
  allowed_domains: paths([], "Domains that tools may reach; a leading *. takes in every subdomain."),
  shell_enabled: toggle(true, "Offer the shell tool."),
  file_write_enabled: toggle(true, "Offer the tools that write files."),
  browser_enabled: toggle(false, "Offer the browser tool."),
};

/** The files that programs verify servers by; the machine's private keys lie beside them. */
const certificates = ["/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf"];

/** Keys of `[security.sandboxing]` that more than one plugin reads. */
export const sandboxingKeys = {
  allowed_read_paths: paths(
    ["/usr", "/lib", "/lib64", "/bin", ...certificates, "/etc/resolv.conf", "/etc/hosts", "$WORKSPACE"],
    "Paths that started programs may read; file tools may read what is added to the default. $WORKSPACE is the workspace.",
  ),
  allowed_write_paths: paths(
    ["$WORKSPACE"],
    "Paths that started programs and file tools may write. $WORKSPACE is the workspace.",
  ),
};
