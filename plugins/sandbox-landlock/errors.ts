import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  SANDBOX_ABSENT: policy(
    "This machine cannot wall off what tools do (%s), and security.sandboxing.landlock_enabled asks for it: use a kernel with Landlock, or remove the key to be asked for each call.",
  ),
  SANDBOX_OPEN: policy("Nothing walls this call off (%s): %s would run with all rights of the service."),
  SANDBOX_NARROW: policy(
    "Landlock and a filter alone wall this call off (%s): %s could read secret files of the workspace, and change modes and times outside of it.",
  ),
  SANDBOX_UNWALLED: policy(
    "%s would stay open without walls (%s), so it is not started: use Linux with Landlock (5.13 or newer) and user namespaces, and leave security.sandboxing.landlock_enabled unset.",
  ),
  SANDBOX_SECRET: policy(
    "%s is a file that security.secret_files names, by this name or another one, so no tool reads or changes it.",
  ),
  SANDBOX_GUARDED: policy("%s is named in security.guarded_files, which no tool changes."),
  SANDBOX_FULL: failed(
    "The workspace %s holds more than runtime.max_workspace_mb allows, so nothing was run or written: remove what is not needed, or raise the key.",
  ),
  SANDBOX_UNSEEN: failed(
    "Nothing was run, because %s cannot be looked through for secret files (%s): remove it, or set workspace_path to another folder.",
  ),
  SANDBOX_OWN_FILES: usage(
    "The workspace %s holds %s, which runs as this service and must not be open to its own tools: set workspace_path to another folder.",
  ),
  SANDBOX_FAILED: failed("The sandbox could not be started (%s), so nothing was run: run `gantry doctor`."),
  SANDBOX_LOST: failed(
    "The call was lost with the process that did it, which the kernel ends when memory runs out: raise runtime.max_memory_mb if it happens again.",
  ),
  SANDBOX_RUN_UNKNOWN: usage("There is no run %s: see `gantry runs list`."),
  SANDBOX_RUN_BUSY: usage("Run %s is still under way or was not judged yet: wait until it has ended."),
  SANDBOX_RUN_PATH: usage("Run %s left nothing at %s: see `gantry runs show %s`."),
  SANDBOX_RUN_UNDONE: usage("Run %s was undone already."),
  SANDBOX_NOT_TAKEN: failed(
    "Nothing of the command was taken over (%s), so the workspace is as it was: run it again.",
  ),
  SANDBOX_CLOSED: failed("The sandbox is closed because the service is stopping: start the service again."),
});
