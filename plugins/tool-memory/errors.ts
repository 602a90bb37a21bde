import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  MEMORY_FULL: failed(
    "The memory holds %s entries and memory.max_entries is %s: forget some, or set memory.auto_delete_old_entries to true.",
  ),
  MEMORY_UNKNOWN: failed("There is no memory with the id %s: recall it first to see its id."),
  MEMORY_UNSEARCHED: failed(
    "The memory cannot be searched, which does not mean that it is empty: %s. `gantry status` says more.",
  ),
  MEMORY_UNLISTED: failed("There is no memory with the id %s of %s: `gantry memory list` names them."),
  MEMORY_TEXT: usage("The new text has %s characters, and a memory has 1 to 10000: give it as one argument."),
  MEMORY_PRUNE: usage(
    "This deletes memories of all people that are older than memory.retention_days or beyond memory.max_entries: add --yes.",
  ),
  MEMORY_USER: usage("`%s` is not a user: write <channel>:<id>, as in telegram:42."),
});
