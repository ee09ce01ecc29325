module.exports = {
    networks: {
        hardhat: {
            chainId: 31337,
            blockGasLimit: 30_000_000,
            initialDate: "2023-11-14T22:13:20Z",
        },
    },
};
