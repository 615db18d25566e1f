// Runs the contract of the history on the memory twin.
// It must never need anything but this process.
import { memoryHistory } from "../../functions/adapters/memory/history.ts";
import { historyContract } from "./history-contract.ts";

historyContract(async () => {
  const { history, archive } = memoryHistory();
  return {
    history,
    archive: async ({ events = [], lines = [] }) => {
      for (const delivery of events) archive.event(delivery);
      for (const delivery of lines) archive.line(delivery);
    },
    close: async () => {},
  };
});
