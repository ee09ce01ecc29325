// SPDX-License-Identifier: MIT
pragma solidity 0.8.26;

/// Variables of all kinds that a storage layout describes, and a function that writes each.
/// `../../suite/storage_writes.rs` has the writes with the names and values that they change.
contract Owned {
    address internal owner;
    uint96 internal changes;

    function setOwner(address to) external {
        owner = to;
    }

    function setChanges(uint96 to) external {
        changes = to;
    }
}

contract Storage is Owned {
    enum Phase { Idle, Open, Paused, Closed }

    struct Point {
        int64 x;
        int64 y;
    }

    struct Account {
        address holder;
        uint96 amount;
        Point at;
        string memo;
        uint16[] tags;
        mapping(uint256 => bool) seen;
    }

    uint128 private supply;
    uint64 private start;
    int32 private drift;
    bool private open;
    bytes3 private code;
    Phase private phase;
    uint8 private fee;
    address payable private treasury;
    Owned private parent;
    int96 private debt;
    uint256 private total;
    int256 private balance;
    bytes32 private root;
    string private title;
    bytes private blob;
    Account private main;
    mapping(address => uint256) private balances;
    mapping(address => mapping(uint256 => uint128)) private allowances;
    mapping(string => Account) private accounts;
    mapping(bytes4 => bool) private flags;
    mapping(int16 => string) private notes;
    mapping(Phase => uint64) private counts;
    mapping(address => uint32[]) private history;
    uint8[40] private small;
    uint256[3] private words;
    Point[5] private points;
    uint16[] private list;
    Point[] private path;
    string[] private names;
    uint256[][] private grid;
    uint24[7] private odd;
    uint8[3][4] private table;
    bytes32[] private roots;

    function setPacked(uint128 s, uint64 t, int32 d, bool o) external {
        (supply, start, drift, open) = (s, t, d, o);
    }

    function setSmall(bytes3 c, Phase p, uint8 f) external {
        (code, phase, fee) = (c, p, f);
    }

    function setAddresses(address payable t, Owned p, int96 d) external {
        (treasury, parent, debt) = (t, p, d);
    }

    function setWords(uint256 t, int256 b, bytes32 r) external {
        (total, balance, root) = (t, b, r);
    }

    function setTitle(string calldata to) external {
        title = to;
    }

    function setBlob(bytes calldata to) external {
        blob = to;
    }

    function setMain(address holder, uint96 amount, int64 x, int64 y, string calldata memo) external {
        (main.holder, main.amount, main.at, main.memo) = (holder, amount, Point(x, y), memo);
    }

    function see(uint256 id) external {
        main.seen[id] = true;
    }

    function tag(string calldata account, uint16 with) external {
        accounts[account].tags.push(with);
    }

    function setBalance(address of_, uint256 to) external {
        balances[of_] = to;
    }

    function allow(address of_, uint256 id, uint128 to) external {
        allowances[of_][id] = to;
    }

    function setAccount(string calldata account, address holder, uint96 amount, int64 y) external {
        Account storage one = accounts[account];
        (one.holder, one.amount, one.at.y) = (holder, amount, y);
    }

    function setFlag(bytes4 of_, bool to) external {
        flags[of_] = to;
    }

    function setNote(int16 of_, string calldata to) external {
        notes[of_] = to;
    }

    function setCount(Phase of_, uint64 to) external {
        counts[of_] = to;
    }

    function record(address of_, uint32 to) external {
        history[of_].push(to);
    }

    function setElements(uint256 index, uint8 s, uint24 o) external {
        (small[index], odd[index % 7]) = (s, o);
    }

    function setTable(uint256 row, uint256 column, uint8 to) external {
        table[row][column] = to;
    }

    function setPoint(uint256 index, int64 x, int64 y) external {
        (points[index], words[index % 3]) = (Point(x, y), uint256(int256(y)));
    }

    function push(uint16 number, bytes32 hash) external {
        list.push(number);
        roots.push(hash);
    }

    function go(int64 x, int64 y) external {
        path.push(Point(x, y));
    }

    function name(string calldata to) external {
        names.push(to);
    }

    function extend(uint256 row, uint256 to) external {
        if (row == grid.length) grid.push();
        grid[row].push(to);
    }
}

/// A proxy (ERC-1967).
contract StorageProxy {
    constructor(address implementation) {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
        }
    }

    fallback() external payable {
        assembly {
            let to := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
