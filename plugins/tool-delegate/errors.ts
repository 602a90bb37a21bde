import { defineErrors, failed, policy } from "@gantry/sdk";

export const errors = defineErrors({
  DELEGATE_NO_AGENT: failed("There is no agent `%s`%s: name another, or leave it out."),
  DELEGATE_NO_TOOL: failed("You have no tool `%s` to hand on%s: name others, or leave them out."),
  DELEGATE_NO_STORE: failed(
    "A task in the background needs a store, and none is loaded: leave `background` out.",
  ),
  DELEGATE_NESTED: policy(
    "A task that was handed on hands nothing on in the background: leave `background` out.",
  ),
  DELEGATE_BUSY: policy(
    "%s tasks are being worked on in the background, as many as delegate.at_once allows: wait for one with delegate_result.",
  ),
  DELEGATE_UNKNOWN: failed("There is no task %s in this conversation: leave the number out to see them."),
});
