import { defineErrors, errors as shared, failed, policy, usage } from "@gantry/sdk";

/** The codes of calls of tools, their rules and approvals. */
export const toolErrors = defineErrors({
  TOOL_UNKNOWN: failed("There is no tool `%s`; the tools are: %s."),
  TOOL_BAD_ARGS: failed("The arguments for %s are wrong: %s"),
  AUTONOMY_SUPERVISED_TURN: policy("This turn is supervised, so %s asks."),
  TOOL_STANDS_FOR_NONE: failed(
    "The tool %s only stands for other tools, and this call names none that does its own work: name one.",
  ),
  TOOL_FAILED: failed("The tool %s failed: %s"),
  TOOL_TIMEOUT: failed("The tool %s did not finish in %s s and was stopped."),
  TOOL_BAD_EFFECTS: failed(
    'The tool %s states effects %s, so no guard could judge them: give { paths, commands, urls, recipients, brings, target } or "unknown".',
  ),
  TOOL_MANY_FILES: failed(
    "The tool %s handed over more files than the %s that go with one answer: hand over the rest with the next answer.",
  ),
  TOOL_SOURCE_FAILED: failed("The tools of %s are not there for now: %s"),
  TOOL_SOURCE_TOOL: failed("The tool source %s lists the tool `%s`, which is left out: it %s."),
  TOOL_TOO_DEEP: policy(
    "The tool %s was called from tools nested %s deep: tools must not call each other without end.",
  ),
  RESULT_WITHHELD: policy("What %s answered is withheld, since the plugin %s could not look through it: %s"),
  RESULT_SECRET: policy("%s was not handed over, since text of secret files stands in it."),
  TOOL_NOT_OFFERED: policy(
    "The tool %s is not offered here, so it is not run: it is switched off, or what it works with is missing, or this turn goes without it.",
  ),
  ALLOW_BAD_RULE: usage(
    "security.allow holds `%s`, which is not a rule: write a tool's name, or `tool: what it may do`, as in `shell: git status`.",
  ),
  ALLOW_BAD_PIPE: usage(
    "security.allow holds `%s`, which has a pipe within it: write a rule for each command, with `|` before one that is fed by another, as in `shell: | head *`.",
  ),
  ALLOW_BAD_URL: usage(
    "security.allow holds `%s`, whose address names no one host or domain: write `https://example.com/*`, or `https://*.example.com/*` for all below it.",
  ),
  AUTONOMOUS_REFUSED: policy(
    "%s As agent.autonomy_level is autonomous, nobody is asked and it is refused: allow it by name in security.allow, as %s.",
  ),
  APPROVAL_UNDELIVERED: policy("The question about %s could not be put to anybody (%s), which is a no."),
  APPROVAL_NO_PERSON: policy("%s needs a person's approval and nobody is here to ask: %s. %s"),
  APPROVAL_DENIED: policy("%s was not approved by the person who was asked%s"),
  APPROVAL_EXPIRED: policy("Nobody answered the question about %s in %s s, which is a no."),
  APPROVAL_MANY: policy("%s asks nothing while %s questions of its person wait: answer one first."),
  APPROVAL_CHANGED: policy(
    "%s changed while it waited for approval (%s), so the approval does not count: ask again.",
  ),
});

/** These codes, and those that the host shares with plugins. */
export const errors = Object.freeze({ ...shared, ...toolErrors });
