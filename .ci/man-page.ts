import { everywhere, type Word } from "./words.ts";

/** gantry(1), of all words. */
export function manPage(words: readonly Word[], version: string): string {
  return `.TH GANTRY 1 "" "Gantry ${roff(version)}" "User Commands"
.SH NAME
gantry \\- a small agent runtime, closed by default
.SH SYNOPSIS
.B gantry
.I word
[\\fIargument\\fR ...] [\\fIoption\\fR ...]
.SH DESCRIPTION
Gantry loads plugins by name from a configuration file, talks to any language model, takes messages from chat channels and HTTP, and
runs tools under a policy that can be read. Tools work in one directory, behind walls of the kernel; what is not plainly harmless asks.
.SH WORDS
${words.map(section).join("\n")}
.SH OPTIONS OF EVERY WORD
${everywhere.map(({ flags, summary }) => option(flags, summary)).join("\n")}
.SH FILES
.TP
.I ~/.gantry/config.toml
The configuration. The directory is another one where SERVICE_CONFIG_DIR names it.
.TP
.I ~/.gantry/service.env
Variables that the configuration names, a line NAME=value each.
.SH EXIT STATUS
0 done, 1 it failed, 2 wrong usage or configuration, 3 refused by policy, 130 interrupted.
`;
}

function section({ name, summary, args, options }: Word): string {
  const title = [`\\fBgantry ${roff(name)}\\fR`, ...args.map((arg) => `\\fI${roff(arg)}\\fR`)].join(" ");
  const rows = options.map(({ flags, summary: text }) => option(flags, text));
  const below = rows.length > 0 ? `\n.RS\n${rows.join("\n")}\n.RE` : "";
  return `.TP\n${title}\n${sentence(summary)}${below}`;
}

function option(flags: string, summary: string): string {
  return `.TP\n.B ${roff(flags)}\n${sentence(summary)}`;
}

function sentence(text: string): string {
  return roff(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

/** A line that roff prints as it is. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}
