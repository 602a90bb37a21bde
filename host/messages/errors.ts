import { defineErrors, errors as shared, failed, policy, usage } from "@gantry/sdk";

/** The codes of messages and conversations. */
export const messageErrors = defineErrors({
  OUTBOX_NO_CHANNEL: failed(
    "The message %s cannot be sent, since no channel %s is loaded: name one that is, see `gantry plugins list`.",
  ),
  TURN_TOO_DEEP: policy(
    "A turn was asked for inside %s others, which is as deep as it goes: do the task in the turn that is there.",
  ),
  AUTONOMY_WIDER: policy("A turn here may be %s at most, not %s: ask for a narrower level."),
  WORKSPACE_OUTSIDE: policy(
    "A turn here cannot work in %s, which is not inside %s: name a folder in it, or have the owner set security.workspace_path.",
  ),
  WORKSPACE_ABSENT: failed(
    "A turn cannot work in %s, which is not a folder: make it first, or name another.",
  ),
  PROMPT_BAD_OPTION: failed("The option `%s` of a prompt is %s: give it %s."),
  INBOUND_REFUSED: policy("The message was refused: %s"),
  SESSION_RUNNING: failed("A turn of the conversation runs: wait for its end, or end it with /stop."),
  SESSION_FOREIGN: policy(
    "The conversation %s is not yours: leave its id out to start one, name a new one without a `:`, or have its owner share it with you.",
  ),
  MESSAGES_UNWORKED: usage("Messages of channels would wait for ever, since no plugin fills the slot %s%s."),
  STATE_UNWRITABLE: failed(
    "The service keeps nothing in %s (%s): free the disk, or make it writable for this user, and start again.",
  ),
});

/** These codes, and those that the host shares with plugins. */
export const errors = Object.freeze({ ...shared, ...messageErrors });
