// Read by Prism when it loads: it must not answer the worker's messages, nor look for elements.
(globalThis as unknown as {Prism: object}).Prism = {manual: true, disableWorkerMessageHandler: true};
