import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  AGENT_BAD_NAME: usage(
    "`agents.%s` cannot be the name of an agent: write a small letter, then small letters, digits and -, 32 at most, and not `default`.",
  ),
  AGENT_WIDER: usage(
    "`agents.%s.autonomy_level` is %s, which is wider than agent.autonomy_level, %s: write that level or a narrower one.",
  ),
  AGENT_OUTSIDE: usage(
    "`agents.%s.workspace` is %s, which is not inside the workspace %s: name a folder in it.",
  ),
  AGENT_FOLDER: usage("The folder of `agents.%s.workspace` cannot be made (%s): make %s yourself."),
  AGENT_INSTRUCTIONS: usage(
    "The instructions in %s cannot be read (%s): correct `instructions` of the agent, or the file's owner and mode.",
  ),
  AGENT_CLOSED: usage(
    "The instructions of an agent may not name %s, which security.%s closes: they would be sent to the model with every request.",
  ),
  ROUTE_NO_AGENT: usage(
    "Route %s of [[routes]] names the agent `%s`, and there is none of that name%s: correct it, or add [agents.<name>].",
  ),
  ROUTE_NO_PERSON: usage(
    "Route %s of [[routes]] names `%s`, whom [people] does not know%s: correct it, or add [people.<name>].",
  ),
  ROUTE_NO_CHANNEL: usage(
    "Route %s of [[routes]] names the channel `%s`, which no plugin provides (did you mean `%s`?): correct it, or load its plugin.",
  ),
  ROUTE_NO_PLACE: usage("Route %s of [[routes]] names a conversation without its channel: add `channel`."),
  ROUTE_TWICE: usage("Routes %s and %s of [[routes]] fit the same messages: leave one of them out."),
  ROUTE_USER: usage("`%s` is nobody: write <channel>:<id>, as in telegram:42."),
  AGENT_GONE: failed(
    "This conversation was given to the agent `%s`, which is not configured any more: choose another with /agent NAME, or `/agent default`.",
  ),
  AGENT_NOT_HERE: policy("The agent `%s` does not answer you: the routes give you `%s`."),
});
